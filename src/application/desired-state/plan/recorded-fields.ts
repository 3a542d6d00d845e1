import type { OidcIdentityProviderAdded } from '../../../domain/identity-provider/events.js'
import type { ProjectAdded } from '../../../domain/project/events.js'
import type { ProjectRoleAdded } from '../../../domain/project-role/events.js'
import type { PlannedChange } from './planned-change.js'
import type { PlannedEvent } from './planned-event.js'
import { type FieldValue, fieldChanges, type PlannedField } from './planned-field.js'

type Declared = Omit<ProjectAdded['data'], 'id'> &
  Omit<ProjectRoleAdded['data'], 'projectId' | 'roleKey'> &
  Omit<OidcIdentityProviderAdded['data'], 'idpId' | 'clientSecret'>

/** What is known of an object, by the fields that it has. */
export type Values = { readonly [Field in keyof Declared]?: FieldValue }

/** All that can be declared of any object, in the order in which it is shown; a secret comes last. */
const FIELDS: readonly (keyof Declared)[] = [
  'name',
  'projectRoleAssertion',
  'projectRoleCheck',
  'hasProjectCheck',
  'privateLabelingSetting',
  'displayName',
  'group',
  'stylingType',
  'autoRegister',
  'clientId',
  'issuer',
  'scopes',
  'displayNameMapping',
  'usernameMapping',
]

/** What a role has that is removed. */
const REMOVED = ['displayName', 'group'] as const

/** What the events of `change` change of an object that was `before`; nothing of a new one. */
export const recordedFields = (
  change: PlannedChange,
  before: Values = {},
): readonly PlannedField[] => {
  const { action, events } = change
  if (action === 'remove') return REMOVED.map((field) => ({ field, from: before[field] }))
  const was = action === 'add' ? undefined : before
  return [...fieldChanges(was, valuesOf(events)), ...secretOf(change)]
}

/**
 * What is shown of `change` where nobody looks at the object: the values that its events have. What they
 * replace, and which of them are new, only the plan can say; it is not applied when it leaves one out.
 */
export const shownFields = (change: PlannedChange): readonly PlannedField[] => {
  const { action, events } = change
  const from = valuesBefore(change)
  if (action === 'remove') return REMOVED.map((field) => ({ field, from: from.get(field) }))
  const values = Object.entries(valuesOf(events))
  if (action === 'add')
    return [...values.map(([field, to]) => ({ field, to })), ...secretOf(change)]
  const named = values.filter(([field]) => from.has(field))
  const isNothingNamed = named.length === 0 && !hasSecret(events)
  const shown = isNothingNamed ? values : named
  return [
    ...shown.map(([field, to]) => ({ field, from: from.get(field), to })),
    ...secretOf(change),
  ]
}

/** Whether `change` has an event that would not be recorded, since it leaves the object as it was `before`. */
export const hasIdleEvent = (
  { action, events }: PlannedChange,
  before: Values | undefined,
): boolean =>
  action === 'update' &&
  events.some(
    (event) => !hasSecret([event]) && fieldChanges(before, valuesOf([event])).length === 0,
  )

/** Whether `shown` leaves out what is `recorded`. */
export const leavesOut = (
  shown: readonly PlannedField[],
  recorded: readonly PlannedField[],
): boolean => {
  const names = new Set(shown.map(({ field }) => field))
  return recorded.some(({ field }) => !names.has(field))
}

/** The new values that events have, in the order in which they are shown. */
const valuesOf = (events: readonly PlannedEvent[]): Readonly<Record<string, FieldValue>> => {
  const all = events.reduce<Values>((known, { data }) => Object.assign(known, data), {})
  const values: Record<string, FieldValue> = {}
  for (const field of FIELDS) {
    const value = all[field]
    if (value !== undefined) values[field] = value
  }
  return values
}

/** What the plan says that there is, by the fields that it names. */
const valuesBefore = ({ fields }: PlannedChange): ReadonlyMap<string, FieldValue | undefined> =>
  new Map(fields.flatMap((each) => ('secret' in each ? [] : [[each.field, each.from] as const])))

const hasSecret = (events: readonly PlannedEvent[]): boolean =>
  events.some(({ data }) => 'clientSecret' in data)

/** A secret that events leave alone is `unchanged` where it was declared: only the plan can say that. */
const secretOf = ({ action, object, events, fields }: PlannedChange): readonly PlannedField[] => {
  const field = 'clientSecret'
  if (hasSecret(events)) return [{ field, secret: action === 'add' ? 'set' : 'changed' }]
  const isDeclared = object.type === 'identity_provider' && fields.some((each) => 'secret' in each)
  return isDeclared ? [{ field, secret: 'unchanged' }] : []
}
