import * as z from 'zod/mini'
import type { ObjectDetails } from '../../../domain/aggregate.js'
import { aggregates, idsOf, ObjectInput } from '../../../domain/aggregates.js'
import {
  choice,
  fieldOf,
  listOf,
  MAX_GRANTED_ROLES,
  MAX_SCOPES,
  type ObjectRef,
  OrgId,
  onlyOnce,
  requiredText,
} from '../../../domain/values.js'
import { streamOf } from '../../../projections/read-events.js'
import { type Impact, MAX_NAMED } from '../../method/method.js'
import { accessVersion, DECLARED_TYPES, SealedAccess } from '../declared/desired-access.js'

/** The fields of a plan and of the result of applying it. */
interface PlanHeader {
  /** The organization that the plan is for. */
  readonly orgId: string
  /** `managedBy` of the desired state; marks the recorded events. */
  readonly managedBy?: string | undefined
  /** `version` of the desired state; recorded with `managedBy`. */
  readonly version?: number | undefined
  /** `protect` of the desired state, if it is true. */
  readonly protect?: boolean | undefined
  /** Counts of all `changes`. */
  readonly counts: Counts
  /**
   * Projects and identity providers that exist but are not declared; they stay as they are. Only types that the desired
   * state lists, even with an empty list, and that the caller may read in the whole organization. At most 1,000,000.
   */
  readonly undeclared: readonly ObjectRef[]
}

/**
 * The changes that bring an organization to its desired state. Plain data: store it as JSON with `JSON.stringify` or
 * `toJson`, and apply it later. `apply` plans `desired` again and records nothing unless that leads to the same
 * changes.
 */
export interface Plan extends PlanHeader {
  /** The desired state that the changes lead to, with encrypted secrets. */
  readonly desired: SealedAccess
  /**
   * First each declared project, followed by its declared roles and the roles to remove, its declared
   * grants and the grants to remove, its declared mappings and the mappings to remove; then each declared
   * identity provider. A plan of more than 1,000,000 cannot be applied: its JSON text would be too long.
   */
  readonly changes: readonly PlannedChange[]
  /** What is probably a mistake; at most 100, absent without one. `apply` does not compare it. */
  readonly warnings?: readonly PlanWarning[] | undefined
}

/**
 * A role that is not declared keeps a permission that no declared role of its project has: the permission is probably
 * misspelt, in this role or in the desired state.
 */
export interface PlanWarning {
  /** The role. */
  readonly object: ObjectRef
  /** The name of the permission. */
  readonly permission: string
}

/** The result of `apply`: the {@link Plan} with the details of every object. */
export interface Applied extends PlanHeader {
  /** In the order of the plan. */
  readonly changes: readonly AppliedChange[]
}

/** The change of one object, as plain data that can be stored as JSON. */
export interface PlannedChange {
  /** `add`, `update` and `remove` record events, the others none. */
  readonly action: Action
  /** By its type and ids. */
  readonly object: ObjectRef
  /**
   * Only for `blocked`: a removed project or provider keeps its id; roles, grants and mappings are removed with their
   * project, mappings also with their provider.
   */
  readonly reason?: 'removed' | undefined
  /** The values before and after, for people to read. At most 20. */
  readonly fields: readonly PlannedField[]
  /** `details.sequence` of the object when the plan was made, in decimal digits; absent if it did not exist. */
  readonly sequence?: string | undefined
  /**
   * The roles that users would lose by it when the plan was made, and gain by a mapping that exists, once the changes
   * before it are applied. Absent of a change that can end none, where the caller lacks `user.grant.read` on the project,
   * and of what was applied. `apply` does not compare it: users may be given roles at any time.
   */
  readonly impact?: Impact | undefined
}

/** A change of an applied plan, with the details of its object afterwards. */
export interface AppliedChange extends PlannedChange {
  /**
   * For a removed object, the details of its removal. Absent without an object: if it is `blocked`, or a `superseded`
   * role that a newer version removed.
   */
  readonly details?: ObjectDetails | undefined
}

/**
 * The effect of a plan on an object; no effect if it is `unchanged`, `blocked` (its id belongs to a removed object) or
 * `superseded` (a newer version of the desired state has marked it).
 */
export type Action = 'add' | 'update' | 'remove' | 'unchanged' | 'blocked' | 'superseded'

/** Number of objects by action; `blocked` and `superseded` are absent when they are zero. */
export type Counts = { readonly [Each in Exclude<Action, 'blocked' | 'superseded'>]: number } & {
  readonly [Each in 'blocked' | 'superseded']?: number | undefined
}

/** The values of a declared field. */
export type FieldValue = string | boolean | number | readonly string[]

/** A changed field; `from` is absent if the object is added. */
export type PlannedField =
  | {
      /** Name of the field. */
      readonly field: string
      /** The current value when the plan was made. */
      readonly from?: FieldValue | undefined
      /** The desired value; absent if the object is removed. */
      readonly to?: FieldValue | undefined
    }
  | {
      /** `clientSecret`. */
      readonly field: string
      /** A plan never shows a secret. `unchanged` if the stored secret equals the declared one. */
      readonly secret: 'set' | 'changed' | 'unchanged'
    }

/** The JSON text of a larger plan would exceed the longest string of JavaScript. */
const MAX_CHANGES = 1_000_000

/** More than any object has. */
const MAX_FIELDS = 20

const DeclaredObject = ObjectInput.check(
  z.refine(({ type }) => DECLARED_TYPES.some((declared) => declared === type), {
    error: 'must be an object that can be declared',
    path: ['type'],
  }),
)

const FieldValueInput: z.ZodMiniType<FieldValue, FieldValue> = z.union([
  z.string(),
  z.boolean(),
  z.number(),
  listOf(z.string(), 0, Math.max(MAX_SCOPES, MAX_GRANTED_ROLES)),
])

const Field = z.union(
  [
    z.strictObject({ field: z.string(), secret: choice(['set', 'changed', 'unchanged']) }),
    z.strictObject({
      field: z.string(),
      from: z.optional(FieldValueInput),
      to: z.optional(FieldValueInput),
    }),
  ],
  { error: 'must be a field with its values, or a secret' },
)

const count = z.int({ error: 'must be a whole number' })

const Affected = z.strictObject({
  count,
  first: listOf(
    z.strictObject({
      orgId: z.string(),
      userId: z.string(),
      roleKey: z.string(),
      resource: z.exactOptional(z.string()),
    }),
    0,
    MAX_NAMED,
  ),
})

const Change: z.ZodMiniType<PlannedChange, PlannedChange> = z.strictObject({
  action: choice(['add', 'update', 'remove', 'unchanged', 'blocked', 'superseded']),
  object: DeclaredObject,
  reason: z.optional(choice(['removed'])),
  fields: listOf(Field, 0, MAX_FIELDS),
  // Plans of version 0.2.0 have them.
  events: z.optional(z.undefined({ error: 'are of a plan of an earlier version: plan again' })),
  impact: z.optional(z.strictObject({ loses: Affected, gains: Affected })),
  sequence: z.optional(
    z
      .string({ error: 'must be text' })
      .check(z.regex(/^[1-9][0-9]{0,19}$/, { error: 'must be a sequence in decimal digits' })),
  ),
})

const planSchema = z.strictObject({
  orgId: OrgId,
  managedBy: z.optional(requiredText),
  version: z.optional(accessVersion),
  protect: z.optional(z.boolean({ error: 'must be true or false' })),
  desired: SealedAccess,
  changes: listOf(Change, 0, MAX_CHANGES).check(
    onlyOnce(({ object }) => streamOf('', object), ['object']),
  ),
  counts: z.strictObject({
    add: count,
    update: count,
    remove: count,
    unchanged: count,
    blocked: z.optional(count),
    superseded: z.optional(count),
  }),
  undeclared: listOf(DeclaredObject, 0, MAX_CHANGES),
  warnings: z.optional(
    listOf(z.strictObject({ object: DeclaredObject, permission: z.string() }), 0, MAX_CHANGES),
  ),
})

/** Schema of a {@link Plan}. */
export const Plan: z.ZodMiniType<ParsedPlan, Plan> = planSchema
export type ParsedPlan = z.output<typeof planSchema>

/** Whether an input is a plan and not a desired state. An input with a getter that throws is neither. */
export const isPlan = (input: unknown): input is Plan => {
  try {
    return typeof input === 'object' && input !== null && 'changes' in input
  } catch {
    return false
  }
}

/** Whether a plan has more changes than are read before the permission check; false if a getter throws. */
export const hasManyChanges = (plan: unknown): boolean => {
  try {
    const changes = fieldOf(plan, 'changes')
    return Array.isArray(changes) && changes.length > MANY_CHANGES
  } catch {
    return false
  }
}

/** Some 30 ms of work without a permission. */
const MANY_CHANGES = 1_000

/** The plan of a desired state, or the answer to `apply`, without the desired state. */
export const planOf = <Change extends PlannedChange>(
  orgId: string,
  { managedBy, version, protect }: Pick<SealedAccess, 'managedBy' | 'version' | 'protect'>,
  { changes, undeclared }: { changes: readonly Change[]; undeclared: readonly ObjectRef[] },
) => ({
  orgId,
  ...(managedBy !== undefined && { managedBy }),
  ...(version !== undefined && { version }),
  ...(protect === true && { protect }),
  changes,
  counts: countsOf(changes),
  undeclared,
})

export const countsOf = (changes: readonly PlannedChange[]): Counts => {
  const counts = { add: 0, update: 0, remove: 0, unchanged: 0, blocked: 0, superseded: 0 }
  for (const { action } of changes) counts[action]++
  const { blocked, superseded, ...others } = counts
  return { ...others, ...(blocked > 0 && { blocked }), ...(superseded > 0 && { superseded }) }
}

const SIGNS: { readonly [Each in Action]: string } = {
  add: '+',
  update: '~',
  remove: '-',
  unchanged: '=',
  blocked: '!',
  superseded: '^',
}

/**
 * Formats a plan, or the result of `apply`, as text for people: a line for each changed object with its fields and how
 * many users lose a role; then the objects that are not declared and the warnings, then the counts. Equal plans have equal text. Secrets
 * are never shown. `apply` records exactly the changes shown here or refuses the plan; only the users who lose a role
 * may differ.
 */
export const formatPlan = ({
  changes,
  undeclared,
  warnings = [],
}: Pick<Plan, 'changes' | 'undeclared' | 'warnings'>): string =>
  [
    ...changes.filter(({ action }) => action !== 'unchanged').flatMap(formatChange),
    ...undeclared.map((object) => `? ${nameOf(object)} is not declared`),
    ...warnings.map(
      ({ object, permission }) =>
        `? ${nameOf(object)} has the permission ${quoted(permission)}, which no declared role has`,
    ),
    formatCounts(changes),
  ].join('\n')

const formatCounts = (changes: readonly PlannedChange[]): string => {
  const { add, update, remove, unchanged, blocked = 0, superseded = 0 } = countsOf(changes)
  return [
    `${add} to add, ${update} to update, ${remove} to remove, ${unchanged} unchanged`,
    ...(blocked > 0 ? [`${blocked} blocked`] : []),
    ...(superseded > 0 ? [`${superseded} superseded`] : []),
  ].join(', ')
}

const formatChange = (change: PlannedChange): readonly string[] => {
  const { action, object } = change
  const line = `${SIGNS[action]} ${nameOf(object)}`
  if (action === 'superseded') return [`${line} is superseded by a newer version`]
  if (action !== 'blocked')
    return [line, ...change.fields.flatMap(formatField), ...formatImpact(change)]
  const { container } = aggregates[object.type]
  const why = container
    ? `its ${aggregates[container.type].label} was removed`
    : object.type === 'role_mapping'
      ? 'its project or identity provider was removed'
      : 'its id belonged to a removed object'
  return [`${line} is blocked: ${why}`]
}

const formatField = (planned: PlannedField): readonly string[] => {
  const name = escaped(planned.field)
  if ('secret' in planned) return [`    ${name}: (${planned.secret})`]
  const values = [planned.from, planned.to].filter((value) => value !== undefined).map(quoted)
  return values.length > 0 ? [`    ${name}: ${values.join(' -> ')}`] : []
}

/**
 * Lists who loses which role, by role if all are named or only one role is affected; otherwise how many roles in all.
 */
const formatImpact = ({ object, impact }: PlannedChange): readonly string[] => {
  const { count, first } = impact?.loses ?? { count: 0, first: [] }
  if (count === 0) return []
  const roleKey = fieldOf(object, 'roleKey')
  if (roleKey !== undefined) return [losing(count, String(roleKey))]
  if (count > first.length) return [`    users lose ${count} roles`]
  const byRole = Map.groupBy(first, (role) => role.roleKey)
  return [...byRole].map(([key, roles]) => losing(roles.length, key))
}

const losing = (count: number, roleKey: string): string =>
  `    ${count} ${count === 1 ? 'user loses' : 'users lose'} ${escaped(roleKey)}`

/** The type and ids. Only the key of an object in a container is quoted, because it may be any text. */
const nameOf = (object: ObjectRef): string => {
  const { label, container } = aggregates[object.type]
  const ids = idsOf(object)
  const names = ids.map((id, index) =>
    container && index === ids.length - 1 ? quoted(id) : escaped(id),
  )
  return [label, ...names].join(' ')
}

/** Escapes characters that would control a terminal or reorder its text. */
const quoted = (value: unknown): string =>
  JSON.stringify(value).replaceAll(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`,
  )

const escaped = (text: string): string => quoted(text).slice(1, -1)
