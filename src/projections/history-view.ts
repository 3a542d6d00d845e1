import { changedFields } from '../domain/changed-fields.js'
import { byType } from '../domain/kinds.js'
import { timeOf } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import type { FieldChange, HistoryEntry, Views, ViewType } from '../ports/read-model.js'
import { kindOf, objectOf } from './events/kind-of.js'

/** An object before an event and after it. */
export interface Change {
  readonly before: Views[ViewType] | undefined
  readonly after: Views[ViewType] | undefined
}

/** The entry of `event`, which made `change`. */
export const historyEntry = (event: KnownEvent, change: Change): HistoryEntry => {
  const { position, type, metadata } = event
  const { actor, correlationId } = metadata
  return {
    sequence: position,
    time: timeOf(position),
    actor,
    type,
    object: objectOf(event),
    changes: fieldChanges(event, change),
    ...(correlationId !== undefined && { correlationId }),
  }
}

/** The fields that `event` changed. */
export const fieldChanges = (event: KnownEvent, change: Change): readonly FieldChange[] => {
  const { type, secretsChanged } = kindOf(event.type)
  const secrets = secretsChanged(event).map((field) => ({ field, changed: true as const }))
  return [...shownChanges(type, change), ...secrets]
}

/** The changed fields of an object of that type, without secrets. */
export const shownChanges = (type: ViewType, { before, after }: Change): readonly FieldChange[] => {
  if (after === undefined) {
    return before === undefined ? [] : [{ field: 'state', from: before.state, to: 'removed' }]
  }
  const from: Readonly<Record<string, unknown>> = { ...before }
  const to: Readonly<Record<string, unknown>> = { ...after }
  return changedFields(from, to)
    .filter((field) => !IDS_AND_DETAILS[type].has(field))
    .map((field) => ({ field, from: from[field], to: to[field] }))
}

const IDS_AND_DETAILS = byType(({ ids }) => new Set([...Object.keys(ids.shape), 'details']))
