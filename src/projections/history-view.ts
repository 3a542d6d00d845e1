import { changedFields } from '../domain/changed-fields.js'
import { timeOf } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import type { FieldChange, HistoryEntry, Views, ViewType } from '../ports/read-model.js'
import { objectOf } from './event-cases.js'

/** An object as it was read before an event, and as it is read after it. */
export interface Change {
  readonly before: Views[ViewType] | undefined
  readonly after: Views[ViewType] | undefined
}

/** Who changed what, when: what `event` did to the object that it tells of. */
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

/** What `event` changed, field by field. */
export const fieldChanges = (event: KnownEvent, change: Change): readonly FieldChange[] => [
  ...shownChanges(change),
  ...secretChange(event),
]

/** What of a change is shown: all but secrets. */
export const shownChanges = ({ before, after }: Change): readonly FieldChange[] => {
  if (after === undefined) {
    return before === undefined ? [] : [{ field: 'state', from: before.state, to: 'removed' }]
  }
  const from: Readonly<Record<string, unknown>> = { ...before }
  const to: Readonly<Record<string, unknown>> = { ...after }
  return changedFields(from, to)
    .filter((field) => !IDENTITY_AND_DETAILS.has(field))
    .map((field) => ({ field, from: from[field], to: to[field] }))
}

const IDENTITY_AND_DETAILS: ReadonlySet<string> = new Set([
  'idpId',
  'id',
  'projectId',
  'roleKey',
  'details',
])

/** A secret that was put under another seal is still the same secret. */
const secretChange = (event: KnownEvent): readonly FieldChange[] => {
  if (event.type === 'identity_provider.secret_resealed') return []
  return 'clientSecret' in event.data ? [{ field: 'clientSecret', changed: true }] : []
}
