import { err, ok, type Result } from 'neverthrow'
import type { Position, RecordedEvent } from '../ports/event-store.js'
import type { Projection } from '../ports/projection.js'
import { outcomeOf } from '../ports/store-fault.js'
import type { UnreadableEvent } from '../ports/unreadable-event.js'
import type { KnownEvent } from '../projections/known-event.js'
import type { ReadBatch } from '../projections/read-events.js'
import type { ProjectionFailed } from './errors.js'
import { unavailable } from './fault.js'

/** Applies what comes before the first event that cannot be read, and stops there. */
export const applyReadable = async (
  projection: Projection,
  from: Position,
  { known, unreadable }: ReadBatch,
): Promise<Result<boolean, UnreadableEvent | ProjectionFailed>> => {
  const applied = known.length > 0 ? await applyAll(projection, from, known) : ok(true)
  if (applied.isErr() || !applied.value) return applied
  return unreadable ? err(unreadable) : ok(true)
}

/** @returns false when another process was faster */
const applyAll = async (
  projection: Projection,
  from: Position,
  events: readonly KnownEvent[],
): Promise<Result<boolean, ProjectionFailed>> => {
  try {
    return ok(await projection.apply(from, events))
  } catch (cause) {
    if (isOutOfOrder(cause)) throw unavailable(cause, 'not_recorded')
    return events.length === 1 && events[0]
      ? err(projectionFailed(projection, events[0], cause))
      : await applyOneByOne(projection, from, events)
  }
}

const isOutOfOrder = (cause: unknown): boolean => outcomeOf(cause) !== undefined

/** Finds the event that a projection cannot take; those before it are applied. */
const applyOneByOne = async (
  projection: Projection,
  from: Position,
  events: readonly KnownEvent[],
): Promise<Result<boolean, ProjectionFailed>> => {
  let position = from
  for (const event of events) {
    const applied = await applyAll(projection, position, [event])
    if (applied.isErr() || !applied.value) return applied
    position = event.position
  }
  return ok(true)
}

/** The refusal of a projection that did not take an event. */
export const projectionFailed = (
  { name }: Projection,
  { type, position }: Pick<RecordedEvent, 'type' | 'position'>,
  cause: unknown,
): ProjectionFailed => ({ kind: 'ProjectionFailed', projection: name, type, position, cause })
