import type {
  Affected,
  AffectedByGroup,
  AffectedByProvider,
  AffectedInProject,
  AffectedQuery,
} from '../../../ports/access-reads.js'
import type { Position } from '../../../ports/event-store.js'
import type { FoundAtHead } from '../../../ports/read-model.js'
import { projectScope } from '../../../projections/rows.js'
import {
  allOf,
  boundedPosition,
  type Dialect,
  type Parameter,
  type Statement,
  type Steps,
} from '../dialect.js'
import {
  ASSIGNMENTS,
  besidePositions,
  findPage,
  isNamed,
  MAPPED,
  MEMBERS,
  NAMES,
  SUSPENSIONS,
} from './tables.js'

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
interface CountedMembers extends Counted {
  /** The members, in SQL; `member` when absent. */
  readonly member?: string
}

/** The objects whose inactivity suspends an assignment. */
type Cover = 'project' | 'project_grant' | 'user_grant' | 'provider'

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
const noneOf = (from: string, parts: readonly Statement[]): Statement => {
  const { sql, parameters } = allOf(parts)
  return { sql: `NOT EXISTS (SELECT 1 FROM ${from} WHERE ${sql})`, parameters }
}

/** The roles of users that a change concerns, and how far the read model is. */
export function* readAffected(
  dialect: Dialect,
  query: AffectedQuery,
): Steps<FoundAtHead<Affected>> {
  type Row = readonly [role: string, org: string, user: string, count: number | string]
  const { found, ...positions } = yield* findPage<Row>(affectedStatement(dialect, query))
  const first = found.map(([roleKey, orgId, userId]) => ({ orgId, userId, roleKey }))
  return { ...positions, found: { count: Number(found[0]?.[3] ?? 0), first } }
}

/** Finds the roles of users that a change concerns, up to the limit, and beside each how many there are. */
export const affectedStatement = (dialect: Dialect, query: AffectedQuery): Statement => {
  const parts = partsOf(dialect, query)
  const { limit } = query
  const order = 'role, org, user_id'
  // A window function would keep every row before it returns the first.
  const total = parts.map(({ sql }, index) => `(SELECT count(*) FROM (${sql}) AS counted_${index})`)
  const pages = parts.map(
    ({ sql }, index) =>
      `SELECT * FROM (SELECT role, org, user_id FROM (${sql}) AS page_of_${index} ORDER BY ${order} LIMIT ?) AS page_${index}`,
  )
  return {
    sql: `${besidePositions(
      dialect,
      `${order}, total`,
      // With its limit, the page stays apart: SQLite would count again for each of its parts.
      `SELECT role, org, user_id, ${total.join(' + ')} AS total
        FROM (SELECT * FROM (${pages.join(' UNION ALL ')}) AS pages ORDER BY ${order} LIMIT ?) AS page_of_all`,
    )} ORDER BY ${order}`,
    parameters: [
      ...parts.flatMap(({ parameters }) => parameters),
      ...parts.flatMap(({ parameters }) => [...parameters, limit]),
      limit,
    ],
  }
}

/** Statements that find roles of users; no role of a user is found twice. */
const partsOf = (dialect: Dialect, query: AffectedQuery): readonly Statement[] => {
  if ('members' in query) return [membersOf(dialect, query)]
  if ('provider' in query) return [ofProvider(dialect, query)]
  return [granted(dialect, query), mapped(dialect, query)]
}

/** Through grants to users; a user has one for each project. */
const granted = (dialect: Dialect, query: AffectedInProject): Statement => {
  const counts = allOf([
    ...rangeOf(dialect, query),
    { sql: `held.user_id <> ''`, parameters: [] },
    ...counting(dialect, countedIn(query)),
  ])
  return {
    sql: `SELECT held.role, held.org, held.user_id FROM ${dialect.table(ASSIGNMENTS)} AS held WHERE ${counts.sql}`,
    parameters: counts.parameters,
  }
}

/** By groups, and by no grant. */
const mapped = (dialect: Dialect, query: AffectedInProject): Statement => {
  const counted = countedIn(query)
  const counts = allOf([
    ...rangeOf(dialect, query),
    ...countingMembers(dialect, counted),
    noGrant(dialect, 'held', counted),
  ])
  return {
    sql: `SELECT DISTINCT held.role, held.org, member.user_id FROM ${members(dialect)} WHERE ${counts.sql}`,
    parameters: counts.parameters,
  }
}

const countedIn = ({
  orgId,
  projectId,
  userOrgId,
  asIfActive,
  now,
  at,
}: AffectedInProject): Counted => ({
  scope: { sql: '?', parameters: [projectScope(orgId, projectId)] },
  now,
  at,
  except: asIfActive && (userOrgId === undefined ? 'project' : 'project_grant'),
})

const rangeOf = (
  dialect: Dialect,
  { orgId, projectId, roleKeys, userOrgId }: AffectedInProject,
): readonly Statement[] => [
  isNamed(dialect, 'held.scope', projectScope(orgId, projectId)),
  ...(roleKeys === undefined ? [] : [dialect.isListed('held.role', roleKeys)]),
  ...(userOrgId === undefined ? [] : [{ sql: 'held.org = ?', parameters: [userOrgId] }]),
]

/** Assignments to groups, called `held`, with the members. */
const members = ({ table }: Dialect): string =>
  `${table(MAPPED)} AS held JOIN ${table(MEMBERS)} AS member ON ${isMemberOf('held', 'member')}`

/** No grant to the user of `member` has the role of `held`. */
const noGrant = (dialect: Dialect, held: string, counted: Counted): Statement =>
  noneOf(`${dialect.table(ASSIGNMENTS)} AS granted`, [
    {
      sql: `granted.scope = ${held}.scope AND granted.role = ${held}.role AND granted.org = member.org AND granted.user_id = member.user_id`,
      parameters: [],
    },
    ...counting(dialect, { ...counted, held: 'granted' }),
  ])

/** No group except `isOwn`, a condition on `other`, gives the user of `member` the role of `held`. */
const noOtherGroup = (
  dialect: Dialect,
  held: string,
  counted: Counted,
  isOwn: Statement,
): Statement =>
  noneOf(
    `${dialect.table(MEMBERS)} AS joined JOIN ${dialect.table(MAPPED)} AS other ON ${isMemberOf('other', 'joined')}`,
    [
      {
        sql: `joined.user_id = member.user_id AND joined.org = member.org AND other.scope = ${held}.scope AND other.role = ${held}.role`,
        parameters: [],
      },
      { sql: `NOT (${isOwn.sql})`, parameters: isOwn.parameters },
      ...countingMembers(dialect, { ...counted, held: 'other', member: 'joined' }),
    ],
  )

/** Only through the groups of one provider. */
const ofProvider = (
  dialect: Dialect,
  { provider, asIfActive, now, at }: AffectedByProvider,
): Statement => {
  const { orgId, idpId } = provider
  const counted: Counted = { scope: { sql: 'project.name', parameters: [] }, now, at }
  const counts = allOf([
    { sql: 'held.org = ? AND held.idp = ?', parameters: [orgId, idpId] },
    ...countingMembers(dialect, { ...counted, except: asIfActive && 'provider' }),
    noGrant(dialect, 'held', counted),
    noOtherGroup(dialect, 'held', counted, { sql: 'other.idp = ?', parameters: [idpId] }),
  ])
  return {
    sql: `SELECT DISTINCT held.scope, held.role, held.org, member.user_id FROM ${members(dialect)}
      JOIN ${dialect.table(NAMES)} AS project ON project.number = held.scope WHERE ${counts.sql}`,
    parameters: counts.parameters,
  }
}

/** The members of a group who have roles in no other way. */
const membersOf = (dialect: Dialect, query: AffectedByGroup): Statement => {
  const { orgId, projectId, roleKeys, members, now, at } = query
  const name = projectScope(orgId, projectId)
  const scope = { sql: '?', parameters: [name] }
  const counted: Counted = { scope, now, at }
  const source = {
    sql: 'other.idp = ? AND other.grp = ?',
    parameters: [members.idpId, members.group],
  }
  // Each role has the number of the project.
  const wanted = dialect.wantedKeys(roleKeys.map((roleKey) => [0, roleKey]))
  const held = 'assigned'
  const counts = allOf([
    {
      sql: 'member.org = ? AND member.idp = ? AND member.grp = ? AND member.begin_at > ?',
      parameters: [members.orgId, members.idpId, members.group, boundedPosition(members.after)],
    },
    ...(members.until === undefined
      ? []
      : [{ sql: 'member.begin_at <= ?', parameters: [boundedPosition(members.until)] }]),
    lasting('member', at),
    ...active(dialect, ['project', 'project_grant', 'provider'], { held: 'member', scope, at }),
    noGrant(dialect, held, counted),
    noOtherGroup(dialect, held, counted, source),
  ])
  return {
    sql: `SELECT assigned.role, member.org, member.user_id FROM ${dialect.table(MEMBERS)} AS member
      CROSS JOIN (SELECT project.number AS scope, wanted.key AS role FROM ${wanted.sql}
        CROSS JOIN ${dialect.table(NAMES)} AS project WHERE project.name = ?) AS assigned
      WHERE ${counts.sql}`,
    parameters: [...wanted.parameters, name, ...counts.parameters],
  }
}
