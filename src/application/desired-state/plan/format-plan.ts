import { aggregates, idsOf } from '../../../domain/aggregates.js'
import { fieldOf, type ObjectRef } from '../../../domain/values.js'
import { type Action, countsOf, type Plan, type PlannedChange, type PlannedField } from './plan.js'

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
 * many users lose a role; then the objects that are not declared, then the counts. Equal plans have equal text. Secrets
 * are never shown. `apply` records exactly the changes shown here or refuses the plan; only the users who lose a role
 * may differ.
 */
export const formatPlan = ({ changes, undeclared }: Pick<Plan, 'changes' | 'undeclared'>): string =>
  [
    ...changes.filter(({ action }) => action !== 'unchanged').flatMap(formatChange),
    ...undeclared.map((object) => `? ${nameOf(object)} is not declared`),
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

const formatField = (shown: PlannedField): readonly string[] => {
  const name = escaped(shown.field)
  if ('secret' in shown) return [`    ${name}: (${shown.secret})`]
  const values = [shown.from, shown.to].filter((value) => value !== undefined).map(quoted)
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
