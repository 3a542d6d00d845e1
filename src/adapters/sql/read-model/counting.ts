import type { Position } from '../../../ports/event-store.js'
import { allOf, boundedPosition, type Dialect, type Parameter, type Statement } from '../dialect.js'
import { SUSPENSIONS } from './tables.js'

/** The position and the scope for which assignments count. */
export interface Counted {
  /** The assignments, in SQL; `held` when absent. */
  readonly held?: string
  /** The name of the scope. */
  readonly scope: Statement
  readonly now: Date
  /** As it is when undefined. */
  readonly at?: Position | undefined
  /** Counts as active. */
  readonly except?: Cover | undefined
}

/** The position and the scope for which assignments to groups count for members. */
export interface CountedMembers extends Counted {
  /** The members, in SQL; `member` when absent. */
  readonly member?: string
}

/** The objects whose inactivity suspends an assignment. */
export type Cover = 'project' | 'project_grant' | 'user_grant' | 'provider'

/** An assignment to a user holds, has not expired, and nothing that covers it is inactive. */
export const counting = (
  dialect: Dialect,
  { held = 'held', scope, now, at, except }: Counted,
): readonly Statement[] => [
  lasting(held, at),
  { sql: `(${held}.expires_at IS NULL OR ${held}.expires_at > ?)`, parameters: [now.getTime()] },
  ...active(dialect, ['project', 'project_grant', 'user_grant'], { held, scope, at, except }),
]

/**
 * An assignment to a group holds, the member was reported in the group since the mapping was added, the report counts,
 * and nothing that covers the assignment is inactive.
 */
export const countingMembers = (
  dialect: Dialect,
  { held = 'held', member = 'member', scope, now, at, except }: CountedMembers,
): readonly Statement[] => [
  lasting(held, at),
  lasting(member, at),
  {
    sql: `${member}.begin_at > ${held}.since AND (${held}.valid_for IS NULL OR ${expiryOf(held, member)} > ?)`,
    parameters: [now.getTime()],
  },
  ...active(dialect, ['project', 'project_grant', 'provider'], { held, scope, at, except }),
]

/** When a role expires for a member, in milliseconds; null if it does not. */
export const expiryOf = (held: string, member: string): string =>
  `(${member}.begin_at / 1000 + ${held}.valid_for)`

/** Joins members of a group with assignments to it. */
export const isMemberOf = (held: string, member: string): string =>
  `${member}.org = ${held}.org AND ${member}.idp = ${held}.idp AND ${member}.grp = ${held}.grp`

/** Nothing of `covers` is inactive, `except` one. `held` has the organization and the user or the provider. */
export const active = (
  dialect: Dialect,
  covers: readonly Cover[],
  { held, scope, at, except }: Omit<Counted, 'now'> & { readonly held: string },
): readonly Statement[] =>
  covers
    .filter((cover) => cover !== except)
    .map((cover) => isActive(dialect, placeOf(cover, held, scope), at))

/** The values that a suspension of a cover has, in SQL. */
const placeOf = (
  cover: Cover,
  held: string,
  scope: Statement,
): readonly [scope: Statement, org: string, user: string] => {
  switch (cover) {
    case 'project':
      return [scope, `''`, `''`]
    case 'project_grant':
      return [scope, `${held}.org`, `''`]
    case 'user_grant':
      return [scope, `${held}.org`, `${held}.user_id`]
    case 'provider':
      return [{ sql: `${held}.org`, parameters: [] }, `''`, `${held}.idp`]
  }
}

const isActive = (
  { table }: Dialect,
  [scope, org, user]: ReturnType<typeof placeOf>,
  at: Position | undefined,
): Statement => {
  const lasts = lasting('suspension', at)
  return {
    sql: `NOT EXISTS (SELECT 1 FROM ${table(SUSPENSIONS)} AS suspension
      WHERE suspension.scope = ${scope.sql} AND suspension.org = ${org} AND suspension.user_id = ${user} AND ${lasts.sql})`,
    parameters: [...scope.parameters, ...lasts.parameters],
  }
}

/** Whether a row holds, now or right after the event at a position. */
export const lasting = (table: string, at: Position | undefined): Statement => {
  if (at === undefined) return { sql: `${table}.end_at IS NULL`, parameters: [] }
  const position = boundedPosition(at)
  return {
    sql: `${table}.begin_at <= ? AND (${table}.end_at IS NULL OR ${table}.end_at > ?)`,
    parameters: [position, position],
  }
}

/** Whether `columns` come after `values` in their order. */
export const isAfter = (columns: readonly string[], values: readonly Parameter[]): Statement => ({
  sql: `(${columns.join(', ')}) > (${values.map(() => '?').join(', ')})`,
  parameters: values,
})

/** A condition that no row meets all of `parts`. */
export const noneOf = (from: string, parts: readonly Statement[]): Statement => {
  const { sql, parameters } = allOf(parts)
  return { sql: `NOT EXISTS (SELECT 1 FROM ${from} WHERE ${sql})`, parameters }
}
