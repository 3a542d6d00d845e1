import type { Position, RecordedEvent } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { Projection } from '../../ports/projection.js'
import type { UnreadableEvent } from '../../ports/unreadable-event.js'
import type { ReadBatch } from '../../projections/events/read-events.js'
import type { ProjectionFailed } from '../errors/errors.js'
import { unavailable } from '../errors/fault.js'
import { isPassingFault } from '../errors/passing-fault.js'
import { checkpointOf } from './checkpoint-of.js'

/** What became of events that a projection was given. */
interface Fed {
  /** How many it applied; fewer than given when another process was faster. */
  readonly applied: number
  /** Why it could not be given the next. */
  readonly refusal?: UnreadableEvent | ProjectionFailed
}

/** Applies what comes before the first event that cannot be read, and stops there. */
export const applyReadable = async (
  projection: Projection,
  from: Position,
  { known, unreadable }: ReadBatch,
): Promise<Fed> => {
  const fed = known.length > 0 ? await applyAll(projection, from, known) : { applied: 0 }
  return unreadable && fed.applied === known.length ? { refusal: unreadable, ...fed } : fed
}

const applyAll = async (
  projection: Projection,
  from: Position,
  events: readonly KnownEvent[],
): Promise<Fed> => {
  const { isApplied, thrown } = await attempt(projection, from, events)
  if (thrown) return await applyOneByOne(projection, from, events)
  return { applied: isApplied ? events.length : 0 }
}

/** Finds the event that a projection cannot take; those before it are applied. */
const applyOneByOne = async (
  projection: Projection,
  from: Position,
  events: readonly KnownEvent[],
): Promise<Fed> => {
  let applied = 0
  let position = from
  for (const event of events) {
    const { isApplied, thrown } = await attempt(projection, position, [event])
    if (thrown) {
      // When the checkpoint cannot be read either, the fault is not in the event: this throws.
      await checkpointOf(projection)
      return { applied, refusal: projectionFailed(projection, event, thrown.cause) }
    }
    if (!isApplied) return { applied }
    applied++
    position = event.position
  }
  return { applied }
}

/** What became of events that a projection was given at once. */
interface Attempt {
  readonly isApplied: boolean
  /** Holds what the projection threw, which may be anything. */
  readonly thrown?: { readonly cause: unknown }
}

/** @throws Fault when the projection is out of order */
const attempt = async (
  projection: Projection,
  from: Position,
  events: readonly KnownEvent[],
): Promise<Attempt> => {
  try {
    return { isApplied: await projection.apply(from, events) }
  } catch (cause) {
    if (isPassingFault(cause)) throw unavailable(cause, 'not_recorded')
    return { isApplied: false, thrown: { cause } }
  }
}

/** The refusal of a projection that did not take an event. */
export const projectionFailed = (
  { name }: Projection,
  { type, position }: Pick<RecordedEvent, 'type' | 'position'>,
  cause: unknown,
): ProjectionFailed => ({ kind: 'ProjectionFailed', projection: name, type, position, cause })
