import type { Position } from '../../../ports/event-store.js'
import { boundedPosition, type Dialect, param, type Statement, sql } from '../dialect.js'
import { SHARES, STANDING } from './tables.js'

// What makes a role count, in SQL: here and nowhere else. A role rests on generations of other objects. Each row belongs
// to the stream of one object, so an event writes rows of its own stream alone, and a reader joins. The past is the same
// join.

/** A position, or SQL for one. */
type At = Position | Statement

const positionOf = (at: At): Statement => (typeof at === 'bigint' ? param(boundedPosition(at)) : at)

const timeOf = (now: Date | string): Statement =>
  typeof now === 'string' ? sql`${now}` : param(now.getTime())

/** When roles count. */
export interface Moment {
  /** The present: roles that expired by then do not count. SQL for it in milliseconds where a database asks its clock. */
  readonly now: Date | string
  /** Right after the event at this position; as it is when undefined. */
  readonly at?: Position | undefined
}

/** The tables of a join, by their names in it. */
export interface Counted extends Moment {
  /** The generation of the role as the organization has it. Default: `share`. */
  readonly share?: string
  /** The rows of users or of members of groups. */
  readonly held?: string
  /** The members. Default: `member`. */
  readonly member?: string
  /** The scope of the only project, which is then asked once. Default: that of `share`. */
  readonly scope?: string | undefined
  /** Counts as active while it exists. */
  readonly asIfActive?: 'project' | 'project_grant' | 'provider' | undefined
}

/** A user has the role by a grant: the row of `held` counts. */
export const countsByGrant = (dialect: Dialect, counted: Counted): readonly Statement[] => [
  ...holdsByGrant(counted),
  ...countsForAll(dialect, counted),
]

/** The part of {@link countsByGrant} that differs from user to user. */
export const holdsByGrant = ({ held = 'held', now, at }: Counted): readonly Statement[] => [
  lasting(held, at),
  sql`(${held}.expires_at IS NULL OR ${held}.expires_at > ${timeOf(now)})`,
  sql`${held}.paused IS NULL`,
]

/** What {@link holdsByGrant} says of now, where a grant, called `granted`, lists the role. */
export const holdsInGrant = ({ now }: Moment, expiresAt: string): readonly Statement[] => [
  sql`granted.state IS NULL AND (${expiresAt} IS NULL OR ${expiresAt} > ${timeOf(now)})`,
]

/** A member of a group has the role: the rows of `mapped` and `member`, which were joined, count. */
export const countsByGroup = (dialect: Dialect, counted: Counted): readonly Statement[] => [
  ...holdsByGroup(counted),
  ...countsForMembers(dialect, counted),
]

/** The part of {@link countsByGroup} that differs from member to member. */
export const holdsByGroup = ({
  held = 'mapped',
  member = 'member',
  now,
  at,
}: Counted): readonly Statement[] => [
  lasting(member, at),
  sql`${member}.begin_at > ${held}.since AND (${held}.valid_for IS NULL OR ${expiryOf(held, member)} > ${timeOf(now)})`,
]

/** The part of {@link countsByGroup} that is the same for all members: the row of `mapped` counts. */
export const countsForMembers = (dialect: Dialect, counted: Counted): readonly Statement[] => [
  ...isGiven(dialect, counted),
  ...countsForAll(dialect, counted),
]

/** The row of `mapped` holds, and its provider is active. */
export const isGiven = (
  dialect: Dialect,
  { held = 'mapped', at, asIfActive }: Counted,
): readonly Statement[] => [
  lasting(held, at),
  stands(dialect, streamOf.provider({ org: `${held}.org`, idp: `${held}.idp` }), {
    at,
    orInactive: asIfActive === 'provider',
  }),
]

/** The generation is the current one, and the project and the grant of it are active. */
export const countsForAll = (
  dialect: Dialect,
  { share = 'share', scope, at, asIfActive }: Counted,
): readonly Statement[] => {
  const project = scope === undefined ? streamOf.project(share) : param(`project-${scope}`)
  return [
    // First what one event makes false of thousands of shares.
    stands(dialect, project, { at, orInactive: asIfActive === 'project' }),
    // The owner needs no grant of the project.
    sql`(${share}.grant_since = 0 OR ${stands(dialect, streamOf.projectGrant(share), { at, orInactive: asIfActive === 'project_grant' })})`,
    isCurrent(dialect, share, at),
  ]
}

/** The role and, for another organization, the grant of the project have the generation. The project may be gone. */
export const isCurrent = (dialect: Dialect, share: string, at?: At): Statement => {
  const end = endOf(dialect, share)
  const isGranted =
    at === undefined ? sql`${end} IS NULL` : sql`(${end} IS NULL OR ${end} > ${positionOf(at)})`
  return sql`${isGranted} AND ${stands(dialect, streamOf.role(share), { at, since: `${share}.role_since` })}`
}

/** When the project's grant took the generation away; null while it has it. */
const endOf = ({ table }: Dialect, share: string): string =>
  `CASE WHEN ${share}.base IS NULL THEN ${share}.end_at
    ELSE (SELECT base.end_at FROM ${table(SHARES)} AS base WHERE base.number = ${share}.base) END`

/** The object of a stream, which is named in SQL, exists and is active. */
export const stands = (
  { table }: Dialect,
  stream: string | Statement,
  {
    at,
    since = '0',
    orInactive = false,
  }: {
    readonly at?: At | undefined
    /** The generation of a role. */
    readonly since?: string
    readonly orInactive?: boolean
  } = {},
): Statement =>
  // Not EXISTS, which SQLite turns into a join, and then sorts.
  sql`(SELECT ${orInactive ? 'count(*)' : 'max(standing.active)'} FROM ${table(STANDING)} AS standing
    WHERE standing.stream = ${stream} AND standing.since = ${since} AND ${lasting('standing', at)}) = 1`

/** Whether the object of a stream, which is named in SQL, is active: 1 or 0; null if it does not exist. */
export const activity = ({ table }: Dialect, stream: string): string =>
  `(SELECT standing.active FROM ${table(STANDING)} AS standing
    WHERE standing.stream = ${stream} AND standing.since = 0 AND standing.end_at IS NULL)`

/** What ended a generation first: `role` or `project_grant`; null while it is current. */
export const endedWith = (dialect: Dialect, share: string): string => {
  const { table, counted } = dialect
  const end = endOf(dialect, share)
  return `(SELECT CASE
      WHEN count(*) > ${counted('standing.end_at')} THEN CASE WHEN ${end} IS NOT NULL THEN 'project_grant' END
      WHEN ${end} < max(standing.end_at) THEN 'project_grant' ELSE 'role' END
    FROM ${table(STANDING)} AS standing WHERE standing.stream = ${streamOf.role(share)} AND standing.since = ${share}.role_since)`
}

/** Names of streams, of the values in a row. */
export const streamOf = {
  project: (row: string): string => `('project-' || ${row}.scope)`,
  role: (row: string): string => `('project_role-' || ${row}.scope || '+' || ${row}.role)`,
  /** The row of a place names the project, besides its resource. */
  projectOfPlace: (row: string): string => `('project-' || ${row}.owner || '+' || ${row}.project)`,
  projectGrant: (row: string): string => `('project_grant-' || ${row}.scope || '+' || ${row}.org)`,
  provider: ({ org, idp }: { readonly org: string; readonly idp: string }): string =>
    `('identity_provider-' || ${org} || '+' || ${idp})`,
}

/** Whether a row holds, now or right after the event at a position. */
export const lasting = (table: string, at: At | undefined): Statement => {
  if (at === undefined) return sql`${table}.end_at IS NULL`
  const position = positionOf(at)
  return sql`${table}.begin_at <= ${position} AND (${table}.end_at IS NULL OR ${table}.end_at > ${position})`
}

/** When a role expires for a member, in milliseconds; null if it does not. */
export const expiryOf = (mapped: string, member: string): string =>
  `(${member}.begin_at / 1000 + ${mapped}.valid_for)`

/** Where the numbers of generations are, and the column. */
export interface Numbers {
  readonly from: string
  readonly number: string
}

/** The generations with some numbers, as `share`: the tables of a join, and its condition. */
export const numberedShares = ({ table, hasLateral }: Dialect, { from, number }: Numbers) => {
  const shares = `${table(SHARES)} AS share`
  // PostgreSQL expects a hundred shares of each grant, so it would judge the whole table first, or plan each query again.
  // It expects ten elements of an array.
  return hasLateral
    ? { from: shares, isNumbered: `share.number = ANY (ARRAY(SELECT ${number} FROM ${from}))` }
    : { from: `${from} CROSS JOIN ${shares}`, isNumbered: `share.number = ${number}` }
}

/** Joins members of a group with the roles of the group. */
export const isMemberOf = (mapped: string, member: string): string =>
  `${member}.org = ${mapped}.org AND ${member}.idp = ${mapped}.idp AND ${member}.grp = ${mapped}.grp`
