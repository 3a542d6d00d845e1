import type {
  HeldRole,
  HeldRolesQuery,
  Holder,
  HoldersQuery,
  Slice,
  Source,
} from '../../../ports/access-reads.js'
import { timeOf } from '../../../ports/event-store.js'
import type { FoundAtHead } from '../../../ports/read-model.js'
import { projectOf, projectScope } from '../../../projections/rows.js'
import {
  allOf,
  atLeast,
  type Dialect,
  type Integer,
  joined,
  markOfSize,
  type Parameter,
  param,
  type Statement,
  type Steps,
  sql,
  unionOf,
} from '../dialect.js'
import { bodyOfRole, expiry, shownRole } from './access.js'
import { countsByGrant, countsByGroup, expiryOf, isMemberOf, lasting } from './counts.js'
import {
  GRANTS,
  HELD,
  MAPPED,
  MEMBERS,
  PERMISSIONS,
  PLACES,
  pageOf,
  SHARES,
  withPositions,
} from './tables.js'

/** A page of the roles of a user that count, and how far the read model is. */
export function* readHeldRoles(
  dialect: Dialect,
  query: HeldRolesQuery,
): Steps<FoundAtHead<Slice<HeldRole>>> {
  type Row = readonly [
    scope: string,
    resource: string,
    role: string,
    idp: string,
    group: string,
    expires: Integer,
    body: string | null,
  ]
  const { found, ...positions } = pageOf<Row>(yield heldRolesStatement(dialect, query))
  const held = found.map(([scope, resource, roleKey, idpId, group, expires, body]) => ({
    ...projectOf(scope),
    roleKey,
    ...shownRole(body),
    ...onResource(resource),
    ...expiry(expires),
    via: sourceOf(idpId, group),
  }))
  return { ...positions, found: sliceOf(held, query.limit) }
}

/** A page of the users who have roles of a project that count, and how far the read model is. */
export function* readHolders(
  dialect: Dialect,
  query: HoldersQuery,
): Steps<FoundAtHead<Slice<Holder>>> {
  type Row = readonly [
    role: string,
    org: string,
    resource: string,
    idp: string,
    group: string,
    user: string,
    expires: Integer,
    given: string,
    scope: string,
  ]
  const { found, ...positions } = pageOf<Row>(yield holdersStatement(dialect, query))
  const holders = found.map(([roleKey, orgId, resource, idpId, group, userId, ...row]) => {
    const [expires, given, scope] = row
    return {
      userId,
      orgId,
      ...(query.projectId === undefined && { projectId: projectOf(scope).projectId }),
      roleKey,
      ...onResource(resource),
      ...expiry(expires),
      from: timeOf(BigInt(given)),
      via: sourceOf(idpId, group),
    }
  })
  return { ...positions, found: sliceOf(holders, query.limit) }
}

/** The resource of a row, which is empty for the whole project. */
export const onResource = (resource: string): Pick<HeldRole, 'resource'> =>
  resource === '' ? {} : { resource }

/** The way of a role, by the provider and the group; both are empty for a grant. */
export const sourceOf = (idpId: string, group: string): Source =>
  idpId === '' ? 'grant' : { idpId, group }

const sliceOf = <Item>(found: readonly Item[], limit: number): Slice<Item> => ({
  items: found.slice(0, limit),
  hasMore: found.length > limit,
})

/** The provider and the group of a grant. */
export const NO_WAY = `'' AS idp, '' AS grp`

/** Tables in which the roles of one user are found, with `share`. */
const ofUser = ({ table, hasLateral }: Dialect) => {
  const isHeld = 'held.share = share.number AND held.user_id = granted.user_id'
  // Apart, so that PostgreSQL looks up each role by its key, and never reads the whole table.
  const held = hasLateral
    ? `LATERAL (SELECT held.* FROM ${table(HELD)} AS held WHERE ${isHeld} OFFSET 0) AS held`
    : `${table(HELD)} AS held`
  return {
    byGrant: `${table(GRANTS)} AS granted CROSS JOIN ${table(SHARES)} AS share CROSS JOIN ${held}`,
    isByGrant: `share.place = granted.place AND ${isHeld}`,
    byGroup: `${table(MEMBERS)} AS member CROSS JOIN ${table(MAPPED)} AS mapped CROSS JOIN ${table(SHARES)} AS share`,
    isByGroup: `${isMemberOf('mapped', 'member')} AND share.number = mapped.share`,
  }
}

/** Finds the roles that count for a user, one more than the limit, each with the positions. */
export const heldRolesStatement = (dialect: Dialect, query: HeldRolesQuery): Statement => {
  const { orgId, userId, projectId, projectOrgId, resource, roleKey, permission } = query
  const { at, now, after, limit } = query
  const { byGrant, isByGrant, byGroup, isByGroup } = ofUser(dialect)
  const order = 'scope, resource, role, idp, grp'
  const place = `${dialect.table(PLACES)} AS place`
  const arm = (
    from: string,
    columns: string,
    conditions: readonly Statement[],
    isAfterWay: (role: readonly string[], way: readonly string[]) => Statement,
  ): Statement => {
    // What few roles meet comes first: each of the other conditions is a look-up for each role.
    const all = allOf([
      sql`place.number = share.place AND place.org = ${param(orgId)}`,
      ...(projectId === undefined ? [] : [sql`place.project = ${param(projectId)}`]),
      ...(projectOrgId === undefined ? [] : [sql`place.owner = ${param(projectOrgId)}`]),
      ...(resource === undefined ? [] : [sql`share.resource IN ('', ${param(resource)})`]),
      ...(roleKey === undefined ? [] : [sql`share.role = ${param(roleKey)}`]),
      ...isAllowed(dialect, query),
      ...conditions,
      ...(after
        ? [isAfterWay([projectScope(after[0], after[1]), after[2], after[3]], after.slice(4))]
        : []),
    ])
    return sql`SELECT share.scope, share.resource, share.role, ${columns}, ${bodyOfRole(dialect)} AS body FROM ${from} CROSS JOIN ${place} WHERE ${all}`
  }
  const arms = [
    arm(
      byGrant,
      `${NO_WAY}, held.expires_at`,
      [
        sql`granted.user_id = ${param(userId)} AND ${isByGrant}`,
        ...countsByGrant(dialect, { now, at }),
      ],
      // Within one role and resource, the grant sorts first.
      (role) => isAfter(['share.scope', 'share.resource', 'share.role'], role),
    ),
    arm(
      byGroup,
      `mapped.idp, mapped.grp, ${expiryOf('mapped', 'member')} AS expires_at`,
      [
        sql`member.user_id = ${param(userId)} AND member.org = ${param(orgId)} AND ${isByGroup}`,
        ...countsByGroup(dialect, { now, at }),
      ],
      (role, way) =>
        isAfter(
          ['share.scope', 'share.resource', 'share.role', 'mapped.idp', 'mapped.grp'],
          [...role, ...way],
        ),
    ),
  ]
  const page = sql`SELECT * FROM (${joined(arms, ' UNION ALL ')}) AS page_of_ways ORDER BY ${order} LIMIT ${atLeast(limit + 1)}`
  return {
    name: `h${flags(projectId, projectOrgId, resource, roleKey, permission, at, after)}${markOfSize(limit + 1) ?? ''}`,
    ...sql`${withPositions(dialect, `${order}, expires_at, body`, page)} ORDER BY ${order}`,
  }
}

/** Whether `columns` come after `values` in their order. */
const isAfter = (columns: readonly string[], values: readonly Parameter[]): Statement =>
  sql`(${columns.join(', ')}) > (${joined(values.map(param), ', ')})`

/** One way to have roles: where its rows are, and their order. */
interface Way {
  /** What follows `share` in the join. */
  readonly rows: string
  readonly isJoined: string
  readonly columns: string
  /** The columns of the order after the role, the organization and the resource. */
  readonly order: readonly string[]
  /** The same as an index has them: rows that differ in their beginning alone exclude each other. */
  readonly sorted: string
  readonly counts: readonly Statement[]
  /** Where the rows of one user are found first, with `share`. */
  readonly ofUser: readonly [from: string, isJoined: string, user: string]
}

const ways = (dialect: Dialect, { now, at }: HoldersQuery): readonly [grant: Way, group: Way] => {
  const { table } = dialect
  const { byGrant, isByGrant, byGroup, isByGroup } = ofUser(dialect)
  return [
    {
      rows: `${table(HELD)} AS held`,
      isJoined: 'held.share = share.number',
      columns: `${NO_WAY}, held.user_id, held.expires_at, COALESCE(held.given, held.begin_at) AS given`,
      order: ['held.user_id'],
      sorted: 'held.user_id',
      counts: countsByGrant(dialect, { now, at }),
      ofUser: [byGrant, isByGrant, 'granted.user_id'],
    },
    {
      rows: `${table(MAPPED)} AS mapped JOIN ${table(MEMBERS)} AS member ON ${isMemberOf('mapped', 'member')}`,
      isJoined: 'mapped.share = share.number',
      columns: `mapped.idp, mapped.grp, member.user_id, ${expiryOf('mapped', 'member')} AS expires_at,
        CASE WHEN member.given > mapped.given THEN member.given ELSE mapped.given END AS given`,
      order: ['mapped.idp', 'mapped.grp', 'member.user_id'],
      sorted: 'mapped.idp, mapped.grp, mapped.begin_at, member.user_id',
      counts: countsByGroup(dialect, { now, at }),
      ofUser: [byGroup, isByGroup, 'member.user_id'],
    },
  ]
}

/** Finds the users for whom roles count, at least one more than the limit, each with the positions. */
export const holdersStatement = (dialect: Dialect, query: HoldersQuery): Statement => {
  const { projectId, resource, userId, roleKey, permission, userOrgId, at, after } = query
  const order = `${projectId === undefined ? 'scope, ' : ''}role, org, resource, idp, grp, user_id`
  const arms = ways(dialect, query).flatMap((way, index) =>
    onPlaces(query, partsAfter(query, way, index === 0)).map((part) =>
      userId === undefined
        ? allHolders(dialect, query, way, part)
        : holdersOfUser(dialect, query, way, part, userId),
    ),
  )
  const pages = arms.map((arm, index) => sql`SELECT * FROM (${arm}) AS page_${index}`)
  const columns = 'role, org, resource, idp, grp, user_id, expires_at, given, scope'
  const page = sql`SELECT * FROM (${unionOf(pages)}) AS pages ORDER BY ${order} LIMIT ${atLeast(query.limit + 1)}`
  const isLastRole = after?.[projectId === undefined ? 1 : 0] === roleKey
  const follows = after === undefined ? 0 : (after.at(-3) === '' ? 1 : 2) + (isLastRole ? 2 : 0)
  const variant = (follows * 7 + Number(markOfSize(query.limit + 1) ?? 0)).toString(36)
  return {
    name: `w${flags(projectId, resource, userId, roleKey, permission, userOrgId, at)}${variant}`,
    ...sql`${withPositions(dialect, columns, page)} ORDER BY ${order}`,
  }
}

/** A part of the holders that lie together in an index: conditions of `share`, and of what is joined to it. */
interface Part {
  readonly ofShare: readonly Statement[]
  readonly ofRow: readonly Statement[]
}

/**
 * The parts that follow the last holder of the page before: the rest of its role and resource in its organization, the
 * later resources and organizations, the later roles, the later projects.
 */
const partsAfter = (query: HoldersQuery, { order }: Way, isByGrant: boolean): readonly Part[] => {
  const { orgId, projectId, roleKey, after } = query
  const within = [
    ...(projectId === undefined
      ? []
      : [sql`share.scope = ${param(projectScope(orgId, projectId))}`]),
    ...(roleKey === undefined ? [] : [isOfRole(query, roleKey)]),
  ]
  // The comma is the character after the plus.
  const ofOwner = sql`share.scope > ${param(`${orgId}+`)} AND share.scope < ${param(`${orgId},`)}`
  if (after === undefined)
    return [{ ofShare: projectId === undefined ? [ofOwner, ...within] : within, ofRow: [] }]
  const [lastScope, rest] =
    projectId === undefined
      ? [projectScope(orgId, after[0]), after.slice(1)]
      : [projectScope(orgId, projectId), [...after]]
  const [role = '', org = '', resource = '', ...way] = rest
  const scope = sql`share.scope = ${param(lastScope)}`
  const isLastByGrant = way[0] === ''
  // A grant sorts before groups.
  const ofRow = isByGrant
    ? isLastByGrant
      ? [sql`held.user_id > ${param(way[2] ?? '')}`]
      : undefined
    : [isLastByGrant ? sql`TRUE` : isAfter(order, way)]
  const parts: Part[] = []
  if (roleKey === undefined || role === roleKey) {
    const ofRole = [scope, sql`share.role = ${param(role)}`]
    const isLast = sql`share.org = ${param(org)} AND share.resource = ${param(resource)}`
    if (ofRow) parts.push({ ofShare: [...ofRole, isLast], ofRow })
    const isLater = isAfter(['share.org', 'share.resource'], [org, resource])
    parts.push({ ofShare: [...ofRole, isLater], ofRow: [] })
  }
  if (roleKey === undefined)
    parts.push({ ofShare: [scope, sql`share.role > ${param(role)}`], ofRow: [] })
  else if (role !== roleKey)
    parts.push({ ofShare: [scope, ...within, sql`share.role > ${param(role)}`], ofRow: [] })
  if (projectId === undefined)
    parts.push({ ofShare: [ofOwner, sql`share.scope > ${param(lastScope)}`, ...within], ofRow: [] })
  return parts
}

/** Each part apart for the whole project and for the resource in the query, so that each is read from an index. */
const onPlaces = ({ resource }: HoldersQuery, parts: readonly Part[]): readonly Part[] =>
  resource === undefined
    ? parts
    : parts.flatMap(({ ofShare, ofRow }) =>
        ['', resource].map((each) => ({
          ofShare: [...ofShare, sql`share.resource = ${param(each)}`],
          ofRow,
        })),
      )

const isOfRole = ({ projectId }: HoldersQuery, roleKey: string): Statement =>
  projectId === undefined ? isOne('share.role', roleKey) : sql`share.role = ${param(roleKey)}`

/** SQLite would not take the order of an index in which a column before the last is known to be one. */
const isOne = (column: string, value: string): Statement =>
  sql`${column} >= ${param(value)} AND ${column} <= ${param(value)}`

/** The columns of `share` in the order of holders; at most one generation counts at a time. */
const SHARE_ORDER =
  'share.scope, share.role, share.org, share.resource, share.role_since, share.grant_since'

/** The holders in a part, generation by generation. */
const allHolders = (
  dialect: Dialect,
  query: HoldersQuery,
  { rows, isJoined, columns, sorted, counts }: Way,
  { ofShare, ofRow }: Part,
): Statement => {
  const share = `${dialect.table(SHARES)} AS share`
  const ofShares = allOf([...ofShare, ...isWanted(dialect, query)])
  const ofRows = allOf([sql`${isJoined}`, ...counts, ...ofRow])
  const names = 'share.role, share.org, share.resource'
  const most = atLeast(query.limit + 1)
  if (!dialect.hasLateral)
    return sql`SELECT ${names}, ${columns}, share.scope FROM ${share} CROSS JOIN ${rows} WHERE ${ofShares} AND ${ofRows}
      ORDER BY ${SHARE_ORDER}, ${sorted} LIMIT ${most}`
  // PostgreSQL takes no order of two tables from their indexes.
  return sql`SELECT ${names}, found.*, share.scope FROM ${share} CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${rows} WHERE ${ofRows} ORDER BY ${sorted} LIMIT ${most}
    ) AS found WHERE ${ofShares} ORDER BY ${SHARE_ORDER}, idp, grp, user_id LIMIT ${most}`
}

/** The roles of one user in a part: few, which are found first. */
const holdersOfUser = (
  dialect: Dialect,
  query: HoldersQuery,
  { columns, counts, ofUser: [from, isJoined, user] }: Way,
  { ofShare, ofRow }: Part,
  userId: string,
): Statement => {
  const found = sql`${user} = ${param(userId)} AND ${isJoined}`
  const all = allOf([found, ...ofShare, ...isWanted(dialect, query), ...counts, ...ofRow])
  return sql`SELECT share.role, share.org, share.resource, ${columns}, share.scope FROM ${from} WHERE ${all}`
}

/** The role of `share` is of the organization and has the permission that are asked for. */
const isWanted = (dialect: Dialect, query: HoldersQuery): readonly Statement[] => [
  ...(query.userOrgId === undefined ? [] : [isOne('share.org', query.userOrgId)]),
  ...isAllowed(dialect, query),
]

/** The role of `share` has the permission that is asked for, now or at a position. */
export const isAllowed = (
  { table }: Dialect,
  { permission, at }: Pick<HoldersQuery, 'permission' | 'at'>,
): readonly Statement[] =>
  permission === undefined
    ? []
    : [
        sql`(SELECT count(*) FROM ${table(PERMISSIONS)} AS allowed WHERE allowed.scope = share.scope
          AND allowed.permission = ${param(permission)} AND allowed.role = share.role AND ${lasting('allowed', at)}) > 0`,
      ]

/** Which of at most 10 values are given, in two letters: another text has another name. */
const flags = (...values: readonly unknown[]): string => {
  const bits = values.map((value) => (value === undefined ? 0 : 1)).join('')
  return Number.parseInt(bits, 2).toString(36).padStart(2, '0')
}
