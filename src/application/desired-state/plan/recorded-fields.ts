import { byType } from '../../../domain/aggregates.js'
import { changedFields, changesNothing } from '../../../domain/message.js'
import { sameRoles } from '../../../domain/project-grant/decider.js'
import type { PlannedChange } from './planned-change.js'
import { givesRoles, type PlannedEvent } from './planned-event.js'
import type { FieldValue, PlannedField } from './planned-field.js'

/** Values of an object by field name. */
export type Values = Readonly<Record<string, FieldValue>>

/** By type, the fields that planned events set and views show, ids aside; in the order of the recorded events. */
const FIELDS = byType(({ ids, events, fields }) => {
  const inEvents = events.flatMap((schema) =>
    Object.keys(schema.def.innerType.shape.data.def.innerType.shape),
  )
  // A plan has the keys of roles that are recorded with their lives.
  return [...new Set([...inEvents, 'roleKeys'])].filter(
    (field) => field in fields && !(field in ids.shape),
  )
})

/** The fields that `change` sets in an object with the values `before`; all fields of a new object. */
export const recordedFields = (change: PlannedChange, before: Values = {}) =>
  plannedFields(change, before, changedFields(before, newValues(change)))

/**
 * The fields to show of `change` without reading its object. New values are those of the events. Only the plan
 * says which of them differ from the current values, so `apply` refuses a plan that omits one.
 */
export const shownFields = (change: PlannedChange): readonly PlannedField[] => {
  const listed = change.fields.flatMap((each) =>
    'secret' in each ? [] : [[each.field, each.from] as const],
  )
  const before = Object.fromEntries(listed)
  const fields = Object.keys(newValues(change))
  const named = fields.filter((field) => Object.hasOwn(before, field))
  const isNoneNamed = named.length === 0 && !hasSecret(change.events)
  return plannedFields(change, before, isNoneNamed ? fields : named)
}

/** The new values of an added object, the old ones of a removed one, both of the `updated` fields of others. */
const plannedFields = (
  change: PlannedChange,
  before: Readonly<Record<string, FieldValue | undefined>>,
  updated: readonly string[],
): readonly PlannedField[] => {
  const { action, object } = change
  if (action === 'remove')
    return FIELDS[object.type].map((field) => ({ field, from: before[field] }))
  const values = newValues(change)
  const fields =
    action === 'add'
      ? Object.entries(values).map(([field, to]) => ({ field, to }))
      : updated.map((field) => ({ field, from: before[field], to: values[field] }))
  return [...fields, ...secretField(change)]
}

/** Whether one of the events of an update changes nothing in an object with the values `before`. */
export const hasNoOpEvent = (change: PlannedChange, before: Values = {}): boolean =>
  change.action === 'update' &&
  change.events.some((event) => {
    if (givesRoles(event)) return sameRoles(roleKeysIn(before), event.data.roleKeys)
    return !hasSecret([event]) && changesNothing(before, newValues({ ...change, events: [event] }))
  })

const roleKeysIn = ({ roleKeys }: Values): readonly string[] =>
  Array.isArray(roleKeys) ? roleKeys : []

/** The values that the events of a change set, in the order in which they are shown. */
const newValues = ({ object, events }: PlannedChange): Values => {
  const all = events.reduce<Values>((merged, { data }) => Object.assign(merged, data), {})
  const values: Record<string, FieldValue> = {}
  for (const field of FIELDS[object.type]) {
    const value = all[field]
    if (value !== undefined) values[field] = value
  }
  if (events.some(({ type }) => type === 'identity_provider.deactivated'))
    values['state'] = 'inactive'
  return values
}

const hasSecret = (events: readonly PlannedEvent[]): boolean =>
  events.some(({ data }) => 'clientSecret' in data)

/** Without an event that sets the secret, only the plan says whether one was declared, as `unchanged`. */
const secretField = (change: PlannedChange): readonly PlannedField[] => {
  const { action, object, events, fields } = change
  const field = 'clientSecret'
  if (hasSecret(events)) return [{ field, secret: action === 'add' ? 'set' : 'changed' }]
  const isDeclared = object.type === 'identity_provider' && fields.some((each) => 'secret' in each)
  return isDeclared ? [{ field, secret: 'unchanged' }] : []
}
