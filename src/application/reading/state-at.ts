import { err, ok } from 'neverthrow'
import * as z from 'zod/mini'
import { ObjectInput } from '../../domain/kinds.js'
import type { ObjectRef, StreamId } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import { streamOf } from '../../projections/events/kind-of.js'
import { readEvent } from '../../projections/events/read-event.js'
import { rowAfter } from '../../projections/rows/change-row.js'
import { containerOf } from '../../projections/rows/row-key.js'
import { Fault, fromPort } from '../errors/fault.js'
import { withLivingRoles } from '../granting/shown-roles.js'
import { date, firstPositionIn, position } from '../method/bounds.js'
import { type Read, read } from '../method/method.js'
import { targetOfObject } from '../method/target.js'
import type { Runtime } from '../runtime.js'

/** Which object, and when: right after the event at `sequence`, or at the end of the millisecond `time`. */
export const StateAtInput = z
  .strictObject({
    object: ObjectInput,
    sequence: z.optional(position),
    time: z.optional(date),
  })
  .check(
    z.refine(({ sequence, time }) => (sequence === undefined) !== (time === undefined), {
      error: 'must be given, or else time, but not both',
      path: ['sequence'],
    }),
  )
export interface StateAtInput {
  /** By its type and ids; also one that was removed later. */
  readonly object: ObjectRef
  /**
   * Right after the event at this position, or the last event before it: `0n` to `2n ** 64n - 1n`. Either
   * this or `time`. Spec: Common response object `details`.
   */
  readonly sequence?: Position | undefined
  /** At the end of this millisecond. Either this or `sequence`. */
  readonly time?: Date | undefined
}

/** An object as `get` would have shown it at a time in the past. */
export const stateAt = (runtime: Runtime): Read<StateAtInput, Views[ViewType]> =>
  read(
    runtime,
    {
      method: 'history.stateAt',
      permissions: ['event.read'],
      schema: StateAtInput,
      target: targetOfObject,
    },
    async ({ orgId }, { object, sequence, time }) => {
      const until = sequence ?? endOfMillisecond(time)
      const at = (ref: ObjectRef) => objectAt(runtime, streamOf(orgId, ref), until)
      const found = await at(object)
      const container = containerOf(object)
      // An object ends with its container.
      const isThere = found && (!container || (await at(container)))
      const shown =
        isThere && (await withLivingRoles(runtime.store, { row: found, object, orgId, until }))
      return shown ? ok(shown) : err({ kind: 'NotFound', object })
    },
  )

const endOfMillisecond = (time = new Date(0)): Position => firstPositionIn(time) + 999n

/** @param until - last position that counts */
const objectAt = async (
  { store }: Runtime,
  stream: StreamId,
  until: Position,
): Promise<Views[ViewType] | undefined> => {
  const events = await fromPort(() => store.readStream(stream))
  let row: Views[ViewType] | undefined
  for (const recorded of events) {
    if (recorded.position > until) break
    const event = readEvent(recorded)
    if (event.isErr()) throw new Fault(event.error)
    row = rowAfter(row, event.value)
  }
  return row
}
