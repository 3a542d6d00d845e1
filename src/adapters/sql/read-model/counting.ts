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
  joined,
  type Parameter,
  param,
  type Statement,
  type Steps,
  sql,
} from '../dialect.js'
import {
  ASSIGNMENTS,
  besidePositions,
  isNamed,
  MAPPED,
  MEMBERS,
  NAMES,
  pageOf,
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
  sql`(${held}.expires_at IS NULL OR ${held}.expires_at > ${param(now.getTime())})`,
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
  sql`${member}.begin_at > ${held}.since AND (${held}.valid_for IS NULL OR ${expiryOf(held, member)} > ${param(now.getTime())})`,
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
      return [sql`${held}.org`, `''`, `${held}.idp`]
  }
}

const isActive = (
  { table }: Dialect,
  [scope, org, user]: ReturnType<typeof placeOf>,
  at: Position | undefined,
): Statement =>
  sql`NOT EXISTS (SELECT 1 FROM ${table(SUSPENSIONS)} AS suspension
    WHERE suspension.scope = ${scope} AND suspension.org = ${org} AND suspension.user_id = ${user}
      AND ${lasting('suspension', at)})`

/** Whether a row holds, now or right after the event at a position. */
export const lasting = (table: string, at: Position | undefined): Statement => {
  if (at === undefined) return sql`${table}.end_at IS NULL`
  const position = param(boundedPosition(at))
  return sql`${table}.begin_at <= ${position} AND (${table}.end_at IS NULL OR ${table}.end_at > ${position})`
}

/** Whether `columns` come after `values` in their order. */
export const isAfter = (columns: readonly string[], values: readonly Parameter[]): Statement =>
  sql`(${columns.join(', ')}) > (${joined(values.map(param), ', ')})`

/** A condition that no row meets all of `parts`. */
const noneOf = (from: string, parts: readonly Statement[]): Statement =>
  sql`NOT EXISTS (SELECT 1 FROM ${from} WHERE ${allOf(parts)})`

/** The roles of users that a change concerns, and how far the read model is. */
export function* readAffected(
  dialect: Dialect,
  query: AffectedQuery,
): Steps<FoundAtHead<Affected>> {
  type Row = readonly [role: string, org: string, user: string, count: number | string]
  const { found, ...positions } = pageOf<Row>(yield affectedStatement(dialect, query))
  const first = found.map(([roleKey, orgId, userId]) => ({ orgId, userId, roleKey }))
  return { ...positions, found: { count: Number(found[0]?.[3] ?? 0), first } }
}

/** Finds the roles of users that a change concerns, up to the limit, and beside each how many there are. */
export const affectedStatement = (dialect: Dialect, query: AffectedQuery): Statement => {
  const parts = partsOf(dialect, query)
  const limit = param(query.limit)
  const order = 'role, org, user_id'
  // A window function would keep every row before it returns the first.
  const totals = parts.map(
    (part, index) => sql`(SELECT count(*) FROM (${part}) AS counted_${index})`,
  )
  const pages = parts.map(
    (part, index) =>
      sql`SELECT * FROM (SELECT role, org, user_id FROM (${part}) AS page_of_${index} ORDER BY ${order} LIMIT ${limit}) AS page_${index}`,
  )
  // With its limit, the page stays apart: SQLite would count again for each of its parts.
  const page = sql`SELECT role, org, user_id, ${joined(totals, ' + ')} AS total
    FROM (SELECT * FROM (${joined(pages, ' UNION ALL ')}) AS pages ORDER BY ${order} LIMIT ${limit}) AS page_of_all`
  return sql`${besidePositions(dialect, `${order}, total`, page)} ORDER BY ${order}`
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
    sql`held.user_id <> ''`,
    ...counting(dialect, countedIn(query)),
  ])
  return sql`SELECT held.role, held.org, held.user_id FROM ${dialect.table(ASSIGNMENTS)} AS held WHERE ${counts}`
}

/** By groups, and by no grant. */
const mapped = (dialect: Dialect, query: AffectedInProject): Statement => {
  const counted = countedIn(query)
  const counts = allOf([
    ...rangeOf(dialect, query),
    ...countingMembers(dialect, counted),
    noGrant(dialect, 'held', counted),
  ])
  return sql`SELECT DISTINCT held.role, held.org, member.user_id FROM ${members(dialect)} WHERE ${counts}`
}

const countedIn = ({
  orgId,
  projectId,
  userOrgId,
  asIfActive,
  now,
  at,
}: AffectedInProject): Counted => ({
  scope: param(projectScope(orgId, projectId)),
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
  ...(userOrgId === undefined ? [] : [sql`held.org = ${param(userOrgId)}`]),
]

/** Assignments to groups, called `held`, with the members. */
const members = ({ table }: Dialect): string =>
  `${table(MAPPED)} AS held JOIN ${table(MEMBERS)} AS member ON ${isMemberOf('held', 'member')}`

/** No grant to the user of `member` has the role of `held`. */
const noGrant = (dialect: Dialect, held: string, counted: Counted): Statement =>
  noneOf(`${dialect.table(ASSIGNMENTS)} AS granted`, [
    sql`granted.scope = ${held}.scope AND granted.role = ${held}.role AND granted.org = member.org AND granted.user_id = member.user_id`,
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
      sql`joined.user_id = member.user_id AND joined.org = member.org AND other.scope = ${held}.scope AND other.role = ${held}.role`,
      sql`NOT (${isOwn})`,
      ...countingMembers(dialect, { ...counted, held: 'other', member: 'joined' }),
    ],
  )

/** Only through the groups of one provider. */
const ofProvider = (
  dialect: Dialect,
  { provider, asIfActive, now, at }: AffectedByProvider,
): Statement => {
  const { orgId, idpId } = provider
  const counted: Counted = { scope: sql`project.name`, now, at }
  const counts = allOf([
    sql`held.org = ${param(orgId)} AND held.idp = ${param(idpId)}`,
    ...countingMembers(dialect, { ...counted, except: asIfActive && 'provider' }),
    noGrant(dialect, 'held', counted),
    noOtherGroup(dialect, 'held', counted, sql`other.idp = ${param(idpId)}`),
  ])
  return sql`SELECT DISTINCT held.scope, held.role, held.org, member.user_id FROM ${members(dialect)}
    JOIN ${dialect.table(NAMES)} AS project ON project.number = held.scope WHERE ${counts}`
}

/** The members of a group who have roles in no other way. */
const membersOf = (dialect: Dialect, query: AffectedByGroup): Statement => {
  const { orgId, projectId, roleKeys, members, now, at } = query
  const scope = param(projectScope(orgId, projectId))
  const counted: Counted = { scope, now, at }
  const [idp, group] = [param(members.idpId), param(members.group)]
  // Each role has the number of the project.
  const wanted = dialect.wantedKeys(roleKeys.map((roleKey) => [0, roleKey]))
  const held = 'assigned'
  const counts = allOf([
    sql`member.org = ${param(members.orgId)} AND member.idp = ${idp} AND member.grp = ${group}`,
    sql`member.begin_at > ${param(boundedPosition(members.after))}`,
    ...(members.until === undefined
      ? []
      : [sql`member.begin_at <= ${param(boundedPosition(members.until))}`]),
    lasting('member', at),
    ...active(dialect, ['project', 'project_grant', 'provider'], { held: 'member', scope, at }),
    noGrant(dialect, held, counted),
    noOtherGroup(dialect, held, counted, sql`other.idp = ${idp} AND other.grp = ${group}`),
  ])
  return sql`SELECT assigned.role, member.org, member.user_id FROM ${dialect.table(MEMBERS)} AS member
    CROSS JOIN (SELECT project.number AS scope, wanted.key AS role FROM ${wanted}
      CROSS JOIN ${dialect.table(NAMES)} AS project WHERE project.name = ${scope}) AS assigned
    WHERE ${counts}`
}
