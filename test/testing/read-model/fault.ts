import type { EventStore } from '../../../src/ports/event-store.js'
import type { ReadModel } from '../../../src/ports/read-model.js'

/** A read model with one fault, and the beginning of the law that must find it. */
export interface Fault {
  readonly fault: string
  readonly law: string
  readonly plant: (sound: ReadModel, store: EventStore) => Partial<ReadModel>
}

export const oneTurn = () => new Promise(setImmediate)

/** `apply`, a moment later. */
export const slowly =
  (apply: ReadModel['apply']): ReadModel['apply'] =>
  async (from, events) => {
    await oneTurn()
    return apply(from, events)
  }
