import type { EventStore } from '../../../src/ports/event-store.js'
import type { Condition, ReadModel } from '../../../src/ports/read-model.js'

/** A read model with one fault, and the beginning of the law that must find it. */
export interface Fault {
  readonly fault: string
  readonly law: string
  readonly plant: (sound: ReadModel, store: EventStore) => Partial<ReadModel>
}

/** Lists by other conditions than were asked for. */
export const withConditions =
  (change: (condition: Condition) => Condition | []): Fault['plant'] =>
  (sound) => ({
    list: ({ conditions, ...query }) =>
      sound.list({ ...query, conditions: conditions.flatMap(change) }),
  })

export const oneTurn = () => new Promise(setImmediate)

/** `apply`, a moment later. */
export const slowly =
  (apply: ReadModel['apply']): ReadModel['apply'] =>
  async (from, events) => {
    await oneTurn()
    return apply(from, events)
  }
