import { aggregates, byType } from '../domain/aggregates.js'
import { changedFields } from '../domain/message.js'
import { fieldOf } from '../domain/values.js'
import { timeOf } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import type { FieldChange, HistoryEntry, Views, ViewType } from '../ports/read-model.js'
import { rolesIn } from './project.js'
import { aggregateOf, objectOf } from './read-events.js'

/** An object before an event and after it, as it is shown. */
export interface Change {
  readonly before: Views[ViewType] | undefined
  readonly after: Views[ViewType] | undefined
}

/** The entry of `event`, which made `change`. */
export const historyEntry = (event: KnownEvent, change: Change): HistoryEntry => {
  const { position, type, metadata } = event
  const { actor, correlationId, reason } = metadata
  return {
    sequence: position,
    time: timeOf(position),
    actor,
    type,
    object: objectOf(event),
    changes: fieldChanges(event, change),
    ...(correlationId !== undefined && { correlationId }),
    ...(reason !== undefined && { reason }),
  }
}

/** The fields that `event` changed. */
export const fieldChanges = (event: KnownEvent, change: Change): readonly FieldChange[] => {
  const { type, secretsChanged } = aggregateOf(event.type)
  const secrets = secretsChanged(event).map((field) => ({ field, changed: true as const }))
  return [...shownChanges(type, change), ...secrets]
}

/** The changed fields of an object of that type, without secrets. */
export const shownChanges = (type: ViewType, { before, after }: Change): readonly FieldChange[] => {
  const from = shownFields(type, before)
  if (after === undefined) {
    if (before === undefined) return []
    const lost = Object.keys(from).filter((field) => field.startsWith(ROLE))
    return [
      { field: 'state', from: before.state, to: 'removed' },
      ...lost.map((field) => ({ field, from: from[field], to: undefined })),
    ]
  }
  const to = shownFields(type, after)
  const taken = Object.keys(from).filter((field) => !Object.hasOwn(to, field))
  const isShown = (field: string) => before !== undefined || !isWithout(type, field, to[field])
  return [...changedFields(from, to).filter(isShown), ...taken].map((field) => ({
    field,
    from: from[field],
    to: to[field],
  }))
}

/** Whether `value` is an optional list without items: no one is shown that an object begins or ends without it. */
export const isWithout = (type: ViewType, name: string, value: unknown): boolean => {
  const field = aggregates[type].fields[name]
  return field?.holds === 'list' && field.isOptional === true && String(value) === ''
}

/** Begins the field of a role. */
const ROLE = 'roles.'

/** Fields of a row by name. Each assigned role is a field of its own, so that it has a change of its own. */
const shownFields = (type: ViewType, row: Views[ViewType] | undefined) => {
  const fields: Record<string, unknown> = {}
  const hidden = HIDDEN[type]
  for (const field of Object.keys(row ?? {})) {
    if (hidden.has(field)) continue
    const value = fieldOf(row, field)
    fields[field] = value instanceof Date ? value.toISOString() : value
  }
  for (const { roleKey, expiresAt } of row ? rolesIn(row) : [])
    fields[`${ROLE}${roleKey}`] = expiresAt ? new Date(expiresAt).toISOString() : 'granted'
  return fields
}

/** Ids, the owner of a project whose roles are assigned, `details`, and lists of roles. */
const HIDDEN = byType(({ ids, fields }) => {
  const lists = Object.keys(fields).filter((name) => fields[name]?.holds === 'roles')
  return new Set([...Object.keys(ids.shape), 'projectOrgId', 'details', ...lists])
})
