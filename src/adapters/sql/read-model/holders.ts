import { MAX_TEXT_LENGTH } from '../../../domain/values.js'
import type { HeldRole, Holder, HoldersQuery, Slice, Source } from '../../../ports/access-reads.js'
import { timeOf } from '../../../ports/event-store.js'
import type { FoundAtHead } from '../../../ports/read-model.js'
import { projectOf, projectScope } from '../../../projections/rows.js'
import {
  allOf,
  atLeast,
  type Dialect,
  type Integer,
  joined,
  type Parameter,
  param,
  type Statement,
  type Steps,
  sql,
  type Table,
  unionOf,
} from '../dialect.js'
import { expiry } from './access.js'
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

/** The items up to the limit, of rows that are more where there are more. */
export const sliceOf = <Item>(found: readonly Item[], limit: number): Slice<Item> => ({
  items: found.slice(0, limit),
  hasMore: found.length > limit,
})

/** The provider and the group of a grant. */
export const NO_WAY = `'' AS idp, '' AS grp`

/** Where the roles of one user are found, with `share`. */
export const ofUser = ({ table, hasLateral }: Dialect, userId: string) => {
  // Apart, so that PostgreSQL begins with the user, looks up each role by its key, and never reads whole tables.
  const apart = hasLateral ? 'OFFSET 0' : ''
  const isHeld =
    'held.share = share.number AND held.resource = place.resource AND held.user_id = place.user_id'
  const held = hasLateral
    ? `LATERAL (SELECT held.* FROM ${table(HELD)} AS held WHERE ${isHeld} ${apart}) AS held`
    : `${table(HELD)} AS held`
  return {
    byGrant: sql`(SELECT granted.user_id, place.* FROM ${table(GRANTS)} AS granted CROSS JOIN ${table(PLACES)} AS place
        WHERE granted.user_id = ${param(userId)} AND place.number = granted.place ${apart}) AS place
      CROSS JOIN ${table(SHARES)} AS share CROSS JOIN ${held}`,
    isByGrant: sql`share.place = place.whole AND ${isHeld}`,
    byGroup: sql`${table(MEMBERS)} AS member CROSS JOIN ${table(MAPPED)} AS mapped CROSS JOIN ${table(SHARES)} AS share`,
    isByGroup: sql`member.user_id = ${param(userId)} AND ${isMemberOf('mapped', 'member')} AND share.number = mapped.share`,
  }
}

/** Whether `columns` come after `values` in their order. */
export const isAfter = (columns: readonly string[], values: readonly Parameter[]): Statement =>
  sql`(${columns.join(', ')}) > (${joined(values.map(param), ', ')})`

/** One way to have roles: where its rows are, and their order. */
interface Way {
  /** The table that points to `share`. */
  readonly table: Table
  /** What follows `share` in the join. */
  readonly rows: string
  readonly isJoined: string
  readonly columns: string
  /** The column of the resource. */
  readonly resource: string
  /** The columns of the order after the role, the organization and the resource. */
  readonly order: readonly string[]
  /** The same as an index has them: rows that differ in their beginning alone exclude each other. */
  readonly sorted: string
  readonly counts: readonly Statement[]
}

const ways = (dialect: Dialect, query: HoldersQuery): readonly [grant: Way, group: Way] => {
  const { table } = dialect
  const { orgId, projectId, now, at } = query
  const scope = projectId === undefined ? undefined : projectScope(orgId, projectId)
  return [
    {
      table: HELD,
      rows: `${table(HELD)} AS held`,
      isJoined: 'held.share = share.number',
      columns: `held.resource, ${NO_WAY}, held.user_id, held.expires_at, COALESCE(held.given, held.begin_at) AS given`,
      resource: 'held.resource',
      order: ['held.user_id'],
      sorted: 'held.resource, held.user_id',
      counts: countsByGrant(dialect, { scope, now, at }),
    },
    {
      table: MAPPED,
      rows: `${table(MAPPED)} AS mapped JOIN ${table(MEMBERS)} AS member ON ${isMemberOf('mapped', 'member')}`,
      isJoined: 'mapped.share = share.number',
      columns: `mapped.resource, mapped.idp, mapped.grp, member.user_id, ${expiryOf('mapped', 'member')} AS expires_at,
        CASE WHEN member.given > mapped.given THEN member.given ELSE mapped.given END AS given`,
      resource: 'mapped.resource',
      order: ['mapped.idp', 'mapped.grp', 'member.user_id'],
      sorted: 'mapped.resource, mapped.idp, mapped.grp, mapped.begin_at, member.user_id',
      counts: countsByGroup(dialect, { scope, now, at }),
    },
  ]
}

/** Finds the users for whom roles count, at least one more than the limit, each with the positions. */
export const holdersStatement = (dialect: Dialect, query: HoldersQuery): Statement => {
  const { orgId, projectId, userId, limit } = query
  const order = `${projectId === undefined ? 'scope, ' : ''}role, org, resource, idp, grp, user_id`
  const inOrder = `ORDER BY ${order} LIMIT ${atLeast(limit + 1)}`
  const [byGrant, byGroup] = ways(dialect, query)
  const found = (way: Way, upTo: readonly Statement[]): readonly Statement[] =>
    onPlaces(query, way, partAfter(query, way, way === byGrant)).map((part, index) => {
      const within = { ...part, ofShare: [...part.ofShare, ...upTo] }
      const rows =
        userId === undefined
          ? allHolders(dialect, query, way, within)
          : holdersOfUser(dialect, query, way, within, userId, way === byGrant)
      return sql`SELECT * FROM (${rows}) AS page_${index}`
    })
  const inOrganization = projectId === undefined ? [sql`share.scope < ${param(beyond(orgId))}`] : []
  const granted = sql`SELECT * FROM (${unionOf(found(byGrant, inOrganization))}) AS pages ${inOrder}`
  const mapped = found(byGroup, userId === undefined ? [upToLast(query)] : inOrganization)
  const columns = 'role, org, resource, idp, grp, user_id, expires_at, given, scope'
  const page = sql`WITH page_of_grants AS MATERIALIZED (${granted})
    SELECT * FROM (${unionOf([sql`SELECT * FROM page_of_grants`, ...mapped])}) AS pages ${inOrder}`
  return {
    ...sql`${withPositions(dialect, columns, page)} ORDER BY ${order}`,
    isRepeated: true,
  }
}

/** Greater than the scopes of all projects of an organization: the comma is the character after the plus. */
const beyond = (orgId: string): string => `${orgId},`

/** No key is greater. */
const GREATEST = '\u{10ffff}'.repeat(MAX_TEXT_LENGTH)

/**
 * A share that is not beyond the last one of a page that grants fill: a project may be granted to thousands of
 * organizations, and only few may have groups.
 */
const upToLast = ({ orgId, projectId, roleKey, limit }: HoldersQuery): Statement => {
  const [scope, role, org] = ['scope', 'role', 'org']
  const columns =
    projectId === undefined ? [scope, role, org] : roleKey === undefined ? [role, org] : [org]
  const names = columns.join(', ')
  const all = columns.map((name) => param(name === scope ? beyond(orgId) : GREATEST))
  return sql`(${columns.map((name) => `share.${name}`).join(', ')}) <= (
    SELECT ${names} FROM (SELECT ${names} FROM page_of_grants ORDER BY ${names} LIMIT 1 OFFSET ${Number(atLeast(limit + 1)) - 1}) AS last
    UNION ALL SELECT ${joined(all, ', ')} ORDER BY ${names} LIMIT 1)`
}

/** A part of the holders that lie together in an index: conditions of `share`, and of what is joined to it. */
interface Part {
  readonly ofShare: readonly Statement[]
  readonly ofRow: readonly Statement[]
}

/** The holders that follow the last one of the page before: from its role in its organization on. */
const partAfter = (
  query: HoldersQuery,
  { resource: column, order }: Way,
  isByGrant: boolean,
): Part => {
  const { orgId, projectId, roleKey, after } = query
  const ofRole = roleKey === undefined ? [] : [isOfRole(query, roleKey)]
  const ofProject =
    projectId === undefined ? [] : [sql`share.scope = ${param(projectScope(orgId, projectId))}`]
  if (after === undefined) {
    const [within = sql`share.scope > ${param(`${orgId}+`)}`] = ofProject
    return { ofShare: [within, ...ofRole], ofRow: [] }
  }
  const [project = '', role = '', org = '', resource = '', ...way] =
    projectId === undefined ? after : [projectId, ...after]
  const last: readonly (readonly [column: string, value: Parameter])[] = [
    ...(projectId === undefined ? [['share.scope', projectScope(orgId, project)] as const] : []),
    // With the role, an index would not find the organization.
    ...(projectId !== undefined && role === roleKey ? [] : [['share.role', role] as const]),
    ['share.org', org],
    ['share.on_resource', resource === '' ? 0 : 1],
  ]
  const columns = last.map(([column]) => column).join(', ')
  const values = joined(
    last.map(([, value]) => param(value)),
    ', ',
  )
  // An index finds what is greater than an expression of another table, but not what meets one of two conditions.
  const inLast = (text: string) =>
    sql`CASE WHEN (${columns}) = (${values}) THEN ${param(text)} ELSE '' END`
  const isSameWay = isByGrant === (way[0] === '')
  const following = [resource, ...way.slice(-order.length)].map(inLast)
  const [, idp = '', group = '', user = ''] = [resource, ...way]
  // Members are in another table than their group: without this, those of the pages before would be gone through.
  const ofMember = sql`member.user_id > CASE
    WHEN (${columns}, mapped.resource, mapped.idp, mapped.grp) = (${values}, ${joined([resource, idp, group].map(param), ', ')})
    THEN ${param(user)} ELSE '' END`
  return {
    ofShare: [...ofProject, ...ofRole, sql`(${columns}) >= (${values})`],
    ofRow: [
      isSameWay
        ? sql`(${[column, ...order].join(', ')}) > (${joined(following, ', ')})`
        : // On one resource, a grant sorts before groups.
          sql`${column} >= ${inLast(isByGrant ? next(resource) : resource)}`,
      ...(isSameWay && !isByGrant ? [ofMember] : []),
    ],
  }
}

/** The first text after another. */
const next = (text: string): string => `${text}\u0001`

/** Apart for the whole project and for the resource in the query, so that each is read from an index. */
const onPlaces = (
  { resource }: HoldersQuery,
  { resource: column }: Way,
  part: Part,
): readonly Part[] =>
  resource === undefined
    ? [part]
    : ['', resource].map((each, onResource) => ({
        ofShare: [...part.ofShare, sql`share.on_resource = ${onResource}`],
        ofRow: [sql`${column} = ${param(each)}`, ...part.ofRow],
      }))

const isOfRole = ({ projectId }: HoldersQuery, roleKey: string): Statement =>
  projectId === undefined ? isOne('share.role', roleKey) : sql`share.role = ${param(roleKey)}`

/** SQLite would not take the order of an index in which a column before the last is known to be one. */
const isOne = (column: string, value: string): Statement =>
  sql`${column} >= ${param(value)} AND ${column} <= ${param(value)}`

/** The columns of `share` in the order of holders; at most one generation counts at a time. */
const SHARE_ORDER =
  'share.scope, share.role, share.org, share.on_resource, share.role_since, share.grant_since'

/** The holders in a part, generation by generation. */
const allHolders = (
  dialect: Dialect,
  query: HoldersQuery,
  { table, rows, isJoined, columns, sorted, counts }: Way,
  { ofShare, ofRow }: Part,
): Statement => {
  const share = `${dialect.table(SHARES)} AS share`
  // A project that is granted to thousands of organizations has thousands of shares, most of them without rows. So the
  // statement looks for rows before it judges a share, in order, so that PostgreSQL uses the index and not the table.
  const hasRows = sql`(SELECT 1 FROM ${dialect.table(table)} AS pointing WHERE pointing.share = share.number
    ORDER BY pointing.resource LIMIT 1) IS NOT NULL`
  const ofShares = allOf([...ofShare, hasRows, ...isWanted(dialect, query)])
  const ofRows = allOf([sql`${isJoined}`, ...counts, ...ofRow])
  const names = 'share.role, share.org'
  const most = atLeast(query.limit + 1)
  if (!dialect.hasLateral)
    return sql`SELECT ${names}, ${columns}, share.scope FROM ${share} CROSS JOIN ${rows} WHERE ${ofShares} AND ${ofRows}
      ORDER BY ${SHARE_ORDER}, ${sorted} LIMIT ${most}`
  // PostgreSQL takes no order of two tables from their indexes.
  return sql`SELECT ${names}, found.*, share.scope FROM ${share} CROSS JOIN LATERAL (
      SELECT ${columns} FROM ${rows} WHERE ${ofRows} ORDER BY ${sorted} LIMIT ${most}
    ) AS found WHERE ${ofShares} ORDER BY ${SHARE_ORDER}, resource, idp, grp, user_id LIMIT ${most}`
}

/** The roles of one user in a part: few, which are found first. */
const holdersOfUser = (
  dialect: Dialect,
  query: HoldersQuery,
  { columns, counts }: Way,
  { ofShare, ofRow }: Part,
  userId: string,
  isByGrant: boolean,
): Statement => {
  const found = ofUser(dialect, userId)
  const [from, isFound] = isByGrant
    ? [found.byGrant, found.isByGrant]
    : [found.byGroup, found.isByGroup]
  const all = allOf([isFound, ...ofShare, ...isWanted(dialect, query), ...counts, ...ofRow])
  return sql`SELECT share.role, share.org, ${columns}, share.scope FROM ${from} WHERE ${all}`
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
