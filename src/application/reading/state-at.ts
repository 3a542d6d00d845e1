import { err, ok } from 'neverthrow'
import * as z from 'zod/mini'
import { exists } from '../../domain/aggregate.js'
import { aggregates, ObjectInput } from '../../domain/aggregates.js'
import type { ObjectRef, StreamId } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import type { Views, ViewType } from '../../ports/read-model.js'
import { project, type Row, withinOf } from '../../projections/project.js'
import { readEvent, streamOf } from '../../projections/read-events.js'
import { Fault } from '../errors/fault.js'
import { withCurrentRoles } from '../grant-rules/shown-roles.js'
import { date, lastPositionIn, position, targetOfObject } from '../method/input.js'
import { type Read, read } from '../method/method.js'
import { type Streams, streamsAt } from '../recording/streams.js'
import type { Runtime } from '../runtime.js'
import { fromPort } from '../waiting.js'

/** The object, and when: right after the event at `sequence`, or at the end of the millisecond `time`. */
export const StateAtInput = z
  .strictObject({
    object: ObjectInput,
    sequence: z.optional(position),
    time: z.optional(date),
  })
  .check(
    z.refine(({ sequence, time }) => (sequence === undefined) !== (time === undefined), {
      error: 'must be given, or time instead, but not both',
      path: ['sequence'],
    }),
  )
export interface StateAtInput {
  /** The object by type and ids, even if it was removed later. */
  readonly object: ObjectRef
  /**
   * Right after the event at this position, or the last event before it: `0n` to `2n ** 64n - 1n`. Either
   * this or `time`.
   */
  readonly sequence?: Position | undefined
  /** At the end of this millisecond. Either this or `sequence`. */
  readonly time?: Date | undefined
}

/** Returns an object as `get` would have returned it at a time in the past. */
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
      const until = sequence ?? lastPositionIn(time ?? new Date(0))
      const found = await objectAt(runtime, streamOf(orgId, object), until)
      const streams = streamsAt(runtime.store, orgId, until)
      const isThere = found && (await existWith(streams, withinOf(object, orgId)))
      const shown = isThere && (await withCurrentRoles(streams, object, found))
      return shown ? ok(shown) : err({ kind: 'NotFound', object })
    },
  )

/** Whether all objects exist that an object is removed with. */
const existWith = async (
  streams: Streams,
  within: ReturnType<typeof withinOf>,
): Promise<boolean> => {
  const read = await Promise.all(
    within.map((whole) => streams.read(aggregates[whole.type], whole, { orgId: whole.orgId })),
  )
  return read.every(({ state }) => exists(state))
}

/**
 * The object of a stream, with roles that have ended since.
 *
 * @param until - last position that counts
 */
export const objectAt = async (
  { store }: Pick<Runtime, 'store'>,
  stream: StreamId,
  until: Position,
): Promise<Row | undefined> => {
  const events = await fromPort(() => store.readStream(stream))
  let row: Row | undefined
  for (const recorded of events) {
    if (recorded.position > until) break
    const event = readEvent(recorded)
    if (event.isErr()) throw new Fault(event.error)
    row = project(row, event.value)
  }
  return row
}
