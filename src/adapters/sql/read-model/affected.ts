import type {
  Affected,
  AffectedByGroup,
  AffectedByProvider,
  AffectedInProject,
  AffectedQuery,
} from '../../../ports/access-reads.js'
import type { FoundAtHead } from '../../../ports/read-model.js'
import { projectScope } from '../../../projections/rows.js'
import {
  allOf,
  atLeast,
  boundedPosition,
  type Column,
  columnNamed,
  type Dialect,
  joined,
  param,
  type Statement,
  type Steps,
  sql,
} from '../dialect.js'
import {
  type Counted,
  countsByGrant,
  countsByGroup,
  isMemberOf,
  lasting,
  type Moment,
  stands,
  streamOf,
} from './counts.js'
import { HELD, MAPPED, MEMBERS, pageOf, SHARES, withPositions } from './tables.js'

/** The roles of users that a change concerns, and how far the read model is. */
export function* readAffected(
  dialect: Dialect,
  query: AffectedQuery,
): Steps<FoundAtHead<Affected>> {
  type Row = readonly [
    role: string,
    org: string,
    user: string,
    resource: string,
    count: number | string,
  ]
  const { found, ...positions } = pageOf<Row>(yield affectedStatement(dialect, query))
  const first = found.slice(0, query.limit).map(([roleKey, orgId, userId, resource]) => ({
    orgId,
    userId,
    roleKey,
    ...(resource !== '' && { resource }),
  }))
  return { ...positions, found: { count: Number(found[0]?.[4] ?? 0), first } }
}

/** Finds the roles of users that a change concerns, up to the limit, and beside each how many there are. */
export const affectedStatement = (dialect: Dialect, query: AffectedQuery): Statement => {
  const parts = partsOf(dialect, query)
  const limit = atLeast(query.limit)
  const order = 'role, org, user_id, resource'
  // A window function would keep every row before it returns the first.
  const totals = parts.map(
    (part, index) => sql`(SELECT count(*) FROM (${part}) AS counted_${index})`,
  )
  const pages = parts.map(
    (part, index) =>
      sql`SELECT * FROM (SELECT ${order} FROM (${part}) AS page_of_${index} ORDER BY ${order} LIMIT ${limit}) AS page_${index}`,
  )
  // With its limit, the page stays apart: SQLite would count again for each of its parts.
  const page = sql`SELECT ${order}, ${joined(totals, ' + ')} AS total
    FROM (SELECT * FROM (${joined(pages, ' UNION ALL ')}) AS pages ORDER BY ${order} LIMIT ${limit}) AS page_of_all`
  // Planning takes longer than finding the roles of few users.
  return {
    ...sql`${withPositions(dialect, `${order}, total`, page)} ORDER BY ${order}`,
    isRepeated: true,
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
  const all = allOf([
    ...rangeOf(dialect, query),
    sql`held.share = share.number`,
    ...countsByGrant(dialect, countedIn(query)),
  ])
  return sql`SELECT share.role, share.org, held.user_id, held.resource FROM ${dialect.table(SHARES)} AS share
    CROSS JOIN ${dialect.table(HELD)} AS held WHERE ${all}`
}

/** By groups, and by no grant. */
const mapped = (dialect: Dialect, query: AffectedInProject): Statement => {
  const all = allOf([
    ...rangeOf(dialect, query),
    ...countsByGroup(dialect, countedIn(query)),
    // Of the same resource: what else the user has is affected too.
    noGrant(dialect, OF_SHARE, countedIn(query), sql`granted.resource = mapped.resource`),
  ])
  return sql`SELECT DISTINCT share.role, share.org, member.user_id, mapped.resource FROM ${members(dialect)} WHERE ${all}`
}

const countedIn = ({ userOrgId, asIfActive, now, at }: AffectedInProject) =>
  ({
    now,
    at,
    asIfActive: asIfActive && (userOrgId === undefined ? 'project' : 'project_grant'),
  }) as const

const rangeOf = (
  dialect: Dialect,
  { orgId, projectId, roleKeys, userOrgId }: AffectedInProject,
): readonly Statement[] => [
  sql`share.scope = ${param(projectScope(orgId, projectId))}`,
  ...(roleKeys === undefined ? [] : [dialect.isListed('share.role', roleKeys)]),
  ...(userOrgId === undefined ? [] : [sql`share.org = ${param(userOrgId)}`]),
]

/** The roles of groups, with the generation and the members. */
const members = ({ table }: Dialect): string =>
  `${table(SHARES)} AS share JOIN ${table(MAPPED)} AS mapped ON mapped.share = share.number
    JOIN ${table(MEMBERS)} AS member ON ${isMemberOf('mapped', 'member')}`

/** A role of the user of `member`, in SQL. */
interface RoleOfMember {
  readonly scope: Statement
  readonly role: string
  readonly resource: Statement
}

const OF_SHARE: RoleOfMember = {
  scope: sql`share.scope`,
  role: 'share.role',
  resource: sql`mapped.resource`,
}

/** What `held` has counts on the resource of another role: it is for the whole project, or on the same resource. */
const countsOn = (held: 'granted' | 'other', { resource }: RoleOfMember): Statement =>
  sql`(${held}.resource = '' OR ${held}.resource = ${resource})`

/** No row meets all of `parts`. */
const noneOf = (from: string, parts: readonly Statement[]): Statement =>
  sql`NOT EXISTS (SELECT 1 FROM ${from} WHERE ${allOf(parts)})`

/** No grant to the user of `member` has the role. */
const noGrant = (
  dialect: Dialect,
  of: RoleOfMember,
  { now, at, asIfActive }: Pick<Counted, 'now' | 'at' | 'asIfActive'>,
  isThere = countsOn('granted', of),
): Statement => {
  const { table } = dialect
  return noneOf(`${table(SHARES)} AS own CROSS JOIN ${table(HELD)} AS granted`, [
    sql`own.scope = ${of.scope} AND own.role = ${of.role} AND own.org = member.org`,
    sql`granted.share = own.number AND granted.user_id = member.user_id AND ${isThere}`,
    ...countsByGrant(dialect, { now, at, asIfActive, share: 'own', held: 'granted' }),
  ])
}

/** No group except `isOwn`, a condition on `other`, gives the user of `member` the role. */
const noOtherGroup = (
  dialect: Dialect,
  of: RoleOfMember,
  { now, at }: Moment,
  isOwn: Statement,
): Statement =>
  noneOf(
    `${dialect.table(MEMBERS)} AS joined JOIN ${dialect.table(MAPPED)} AS other ON ${isMemberOf('other', 'joined')}
      JOIN ${dialect.table(SHARES)} AS own ON own.number = other.share`,
    [
      sql`joined.user_id = member.user_id AND joined.org = member.org AND own.scope = ${of.scope} AND own.role = ${of.role}`,
      countsOn('other', of),
      sql`NOT (${isOwn})`,
      ...countsByGroup(dialect, { now, at, share: 'own', held: 'other', member: 'joined' }),
    ],
  )

/** Only through the groups of one provider. */
const ofProvider = (dialect: Dialect, query: AffectedByProvider): Statement => {
  const { provider, asIfActive, now, at } = query
  const { orgId, idpId } = provider
  const all = allOf([
    sql`mapped.org = ${param(orgId)} AND mapped.idp = ${param(idpId)}`,
    ...countsByGroup(dialect, { now, at, asIfActive: asIfActive && 'provider' }),
    noGrant(dialect, OF_SHARE, { now, at }),
    noOtherGroup(dialect, OF_SHARE, query, sql`other.idp = ${param(idpId)}`),
  ])
  return sql`SELECT DISTINCT share.scope, share.role, share.org, member.user_id, mapped.resource FROM ${members(dialect)} WHERE ${all}`
}

/** The members of a group who have roles in no other way. */
const membersOf = (dialect: Dialect, query: AffectedByGroup): Statement => {
  const { orgId, projectId, roleKeys, members, at, others = [] } = query
  const resource = param(query.resource ?? '')
  const projectOfRole = projectScope(orgId, projectId)
  const scope = param(projectOfRole)
  const [idp, group] = [param(members.idpId), param(members.group)]
  const wanted = dialect.wanted(
    [columnNamed(SHARES, 'role')],
    roleKeys.map((roleKey) => [roleKey]),
  )
  const role = { scope, role: 'wanted.role', resource }
  const all = allOf([
    sql`member.org = ${param(members.orgId)} AND member.idp = ${idp} AND member.grp = ${group}`,
    sql`member.begin_at > ${param(boundedPosition(members.after))}`,
    ...(members.until === undefined
      ? []
      : [sql`member.begin_at <= ${param(boundedPosition(members.until))}`]),
    lasting('member', at),
    stands(dialect, streamOf.provider({ org: 'member.org', idp: 'member.idp' }), { at }),
    stands(dialect, param(`project-${projectOfRole}`), { at }),
    ...(members.orgId === orgId
      ? []
      : [stands(dialect, param(`project_grant-${projectOfRole}+${members.orgId}`), { at })]),
    noGrant(dialect, role, { now: query.now, at }),
    noOtherGroup(
      dialect,
      role,
      query,
      sql`other.idp = ${idp} AND other.grp = ${group} AND other.resource = ${resource}
        ${others.length === 0 ? '' : sql`OR ${isAmong(dialect, others)}`}`,
    ),
    ...(others.length === 0 ? [] : [noneAssumed(dialect, { others, resource, at })]),
  ])
  return sql`SELECT wanted.role, member.org, member.user_id, ${resource} AS resource FROM ${dialect.table(MEMBERS)} AS member
    CROSS JOIN ${wanted} WHERE ${all}`
}

type AssumedMapping = NonNullable<AffectedByGroup['others']>[number]

const assumed = (dialect: Dialect, others: readonly AssumedMapping[]): Statement =>
  dialect.wanted(
    [...['idp', 'grp', 'resource'].map((name) => columnNamed(MAPPED, name)), ABOVE],
    others.map(({ idpId, group, resource = '', after }) => [
      ...[idpId, group, resource],
      after === undefined ? null : String(boundedPosition(after)),
    ]),
  )

/** As text: JSON has no number for every position. */
const ABOVE: Column = { name: 'above', holds: 'text', isNullable: true }

/** The mapping `other` is one of those that count as if they were changed. */
const isAmong = (dialect: Dialect, others: readonly AssumedMapping[]): Statement =>
  sql`(other.idp, other.grp, other.resource) IN (SELECT wanted.idp, wanted.grp, wanted.resource FROM ${assumed(dialect, others)})`

/** Of the mappings that count as if they were changed, none gives the user of `member` the roles. */
const noneAssumed = (
  dialect: Dialect,
  {
    others,
    resource,
    at,
  }: Required<Pick<AffectedByGroup, 'at'>> & {
    readonly others: readonly AssumedMapping[]
    readonly resource: Statement
  },
): Statement => sql`NOT EXISTS (SELECT 1 FROM ${assumed(dialect, others)}
    JOIN ${dialect.table(MEMBERS)} AS joined ON joined.idp = wanted.idp AND joined.grp = wanted.grp
    WHERE ${allOf([
      sql`joined.user_id = member.user_id AND joined.org = member.org AND joined.begin_at > CAST(wanted.above AS bigint)`,
      sql`wanted.resource IN ('', ${resource})`,
      lasting('joined', at),
      stands(dialect, streamOf.provider({ org: 'joined.org', idp: 'joined.idp' }), { at }),
    ])})`
