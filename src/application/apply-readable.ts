import type { Position, RecordedEvent } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import type { Projection } from '../ports/projection.js'
import { outcomeOf } from '../ports/store-fault.js'
import type { UnreadableEvent } from '../ports/unreadable-event.js'
import type { ReadBatch } from '../projections/read-events.js'
import type { ProjectionFailed } from './errors.js'
import { unavailable } from './fault.js'

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
  try {
    return { applied: (await projection.apply(from, events)) ? events.length : 0 }
  } catch (cause) {
    if (outcomeOf(cause) !== undefined) throw unavailable(cause, 'not_recorded')
    return events.length === 1 && events[0]
      ? { applied: 0, refusal: projectionFailed(projection, events[0], cause) }
      : await applyOneByOne(projection, from, events)
  }
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
    const fed = await applyAll(projection, position, [event])
    if (fed.applied === 0) return { ...fed, applied }
    applied++
    position = event.position
  }
  return { applied }
}

/** The refusal of a projection that did not take an event. */
export const projectionFailed = (
  { name }: Projection,
  { type, position }: Pick<RecordedEvent, 'type' | 'position'>,
  cause: unknown,
): ProjectionFailed => ({ kind: 'ProjectionFailed', projection: name, type, position, cause })
