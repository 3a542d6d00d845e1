import { err, ok, type Result } from 'neverthrow'
import type { Position, RecordedEvent } from '../../ports/event-store.js'
import type { KnownEvent, UnreadableEvent } from '../../ports/known-event.js'
import type { Projection } from '../../ports/projection.js'
import type { ReadBatch } from '../../projections/read-events.js'
import type { ProjectionFailed } from '../errors/errors.js'
import { fromPort, isPassingFault, unavailable } from '../errors/fault.js'

/**
 * The checkpoint of `projection`.
 *
 * @throws Fault also when it is not a position: comparing it with the head would then say that it is up to date
 */
export const checkpointOf = (projection: Pick<Projection, 'checkpoint'>): Promise<Position> =>
  fromPort(async () => {
    const position: unknown = await projection.checkpoint()
    if (typeof position !== 'bigint') throw new TypeError('A checkpoint must be a bigint')
    return position
  })

/** The result of applying a batch of events. */
interface ApplyResult {
  /** Number of events applied; less than given when another process was faster. */
  readonly applied: number
  /** Why the next event could not be applied. */
  readonly refusal?: UnreadableEvent | ProjectionFailed
}

/** Applies the events before the first that cannot be read. @throws Fault when the projection is unavailable */
export const applyReadable = async (
  projection: Projection,
  from: Position,
  { known, unreadable }: ReadBatch,
): Promise<ApplyResult> => {
  const result = known.length > 0 ? await applyAll(projection, from, known) : { applied: 0 }
  return unreadable && result.applied === known.length ? { ...result, refusal: unreadable } : result
}

/** After an error the events are applied one by one, to find the one that the projection refuses. */
const applyAll = async (
  projection: Projection,
  from: Position,
  events: readonly KnownEvent[],
): Promise<ApplyResult> => {
  const isApplied = await attempt(projection, from, events)
  if (isApplied.isErr()) return applyOneByOne(projection, from, events)
  return { applied: isApplied.value ? events.length : 0 }
}

const applyOneByOne = async (
  projection: Projection,
  from: Position,
  events: readonly KnownEvent[],
): Promise<ApplyResult> => {
  let position = from
  for (const [applied, event] of events.entries()) {
    const isApplied = await attempt(projection, position, [event])
    if (isApplied.isErr()) {
      // Throws when the checkpoint cannot be read either: then the event is not the cause.
      await checkpointOf(projection)
      return { applied, refusal: projectionFailed(projection, event, isApplied.error) }
    }
    if (!isApplied.value) return { applied }
    position = event.position
  }
  return { applied: events.length }
}

/** Whether the events were applied; the error is what the projection threw, which can be any value. */
const attempt = async (
  projection: Projection,
  from: Position,
  events: readonly KnownEvent[],
): Promise<Result<boolean, unknown>> => {
  try {
    return ok(await projection.apply(from, events))
  } catch (cause) {
    if (isPassingFault(cause)) throw unavailable(cause, 'not_recorded')
    return err(cause)
  }
}

/** The refusal of a projection that did not apply an event. */
export const projectionFailed = (
  { name }: Projection,
  { type, position }: Pick<RecordedEvent, 'type' | 'position'>,
  cause: unknown,
): ProjectionFailed => ({ kind: 'ProjectionFailed', projection: name, type, position, cause })
