import { aggregates } from '../../../domain/aggregates.js'
import type { ProjectRole } from '../../../domain/project-role/aggregate.js'
import type { UserGrant } from '../../../domain/user-grant/aggregate.js'
import type {
  AccessQuery,
  FoundAccess,
  FoundMappedRole,
  FoundProject,
  FoundRole,
  HeldRole,
  HeldRolesQuery,
  Holder,
  HoldersQuery,
  LostRole,
  RoleWay,
  Slice,
} from '../../../ports/access-reads.js'
import { timeOf } from '../../../ports/event-store.js'
import type { FoundAtHead } from '../../../ports/read-model.js'
import { byMappedRole, compareCodePoints } from '../../../projections/row-order.js'
import { foundProject, projectOf, projectScope } from '../../../projections/rows.js'
import {
  allOf,
  type Dialect,
  type Integer,
  joined,
  param,
  type Statement,
  type Steps,
  sql,
} from '../dialect.js'
import {
  active,
  counting,
  countingMembers,
  expiryOf,
  isAfter,
  isMemberOf,
  lasting,
} from './counting.js'
import {
  ASSIGNMENTS,
  atHead,
  besidePositions,
  hasKey,
  holdsNumber,
  isNamed,
  MAPPED,
  MEMBERS,
  NAMES,
  OBJECTS,
  oneOf,
  type Positions,
  pageOf,
  positionColumns,
  ROLE_PERMISSIONS,
} from './tables.js'

/** All that decides whether a user has access to a project, and how far the read model is. */
export function* readAccess(dialect: Dialect, query: AccessQuery): Steps<FoundAtHead<FoundAccess>> {
  type Found = readonly [
    ...Positions,
    project: string | null,
    projectGrant: FoundProject['state'] | null,
    userGrant: string | null,
    roles: string,
    mapped: string,
  ]
  const row = oneOf<Found>(yield accessStatement(dialect, query))
  const [head, reached, project, projectGrant, userGrant, roles, mapped] = row
  return atHead([head, reached], {
    project: project === null ? undefined : foundProject(JSON.parse(project)),
    projectGrant: projectGrant ?? undefined,
    ...grantOf(userGrant === null ? undefined : JSON.parse(userGrant), JSON.parse(roles)),
    mapped: project === null ? [] : mappedIn(JSON.parse(mapped)),
  })
}

/** The last assignment of a role, what ended it (nothing: an empty text), and the body of the role. */
type LastOfRole = readonly [
  roleKey: string,
  expires: number | null,
  endedWith: string | null,
  body: string | null,
]

const grantOf = (
  grant: UserGrant | undefined,
  stored: readonly LastOfRole[],
): Pick<FoundAccess, 'userGrant' | 'roles' | 'lost'> => {
  const last = new Map(stored.map((each) => [each[0], each]))
  const roles: FoundRole[] = []
  const lost: LostRole[] = []
  for (const { roleKey } of grant?.roles ?? []) {
    const assignment = last.get(roleKey)
    if (!assignment || assignment[2] === null) throw new Error('Each role of a grant was assigned')
    const [, expires, endedWith, body] = assignment
    if (endedWith === '') roles.push({ roleKey, ...shownRole(body), ...expiry(expires) })
    else lost.push({ roleKey, with: endedWith === 'project_role' ? 'role' : 'project_grant' })
  }
  return { userGrant: grant?.state, roles: roles.sort(byRole), lost: lost.sort(byRole) }
}

const byRole = (one: FoundRole | LostRole, other: FoundRole | LostRole): number =>
  compareCodePoints(one.roleKey, other.roleKey)

/** A role of a group that a user was last reported in. */
type StoredMappedRole = readonly [
  roleKey: string,
  idpId: string,
  group: string,
  expires: number | null,
  isProviderActive: number,
  body: string | null,
]

const mappedIn = (stored: readonly StoredMappedRole[]): readonly FoundMappedRole[] =>
  stored
    .map(([roleKey, idpId, group, expires, isProviderActive, body]) => ({
      roleKey,
      ...shownRole(body),
      ...expiry(expires),
      via: { idpId, group },
      isProviderActive: isProviderActive === 1,
    }))
    .sort(byMappedRole)

/** Finds all that decides whether a user has access to a project, in one row. */
export const accessStatement = (dialect: Dialect, query: AccessQuery): Statement => {
  const { orgId, userId, projectOrgId, projectId } = query
  const { table, fieldInBody } = dialect
  const scope = projectScope(projectOrgId, projectId)
  const grantKey = aggregates.user_grant.key({ userId, projectId, projectOrgId }, orgId)
  return {
    ...dialect.named(
      'access',
      () => `SELECT ${positionColumns(dialect)},
      (SELECT body FROM ${table(OBJECTS.project)} WHERE ${hasKey(dialect)}) AS project,
      (SELECT ${fieldInBody('state')} FROM ${table(OBJECTS.project_grant)} WHERE ${hasKey(dialect)}) AS project_grant,
      (SELECT body FROM ${table(OBJECTS.user_grant)} WHERE ${hasKey(dialect)}) AS user_grant,
      (${lastOfRoles(dialect)}) AS roles,
      (${mappedRoles(dialect)}) AS mapped`,
    ),
    parameters: [
      ...[projectOrgId, projectId, scope, orgId, orgId, grantKey],
      ...[orgId, userId, orgId, userId, scope, orgId, grantKey],
      ...[userId, orgId, scope],
    ],
  }
}

/**
 * The last assignment of each role of the user's grant, what ended it, and the role as it is shown. Each is looked up by
 * its key, so that earlier assignments of the role cost nothing.
 */
const lastOfRoles = (dialect: Dialect): string => {
  const { table, jsonRows, listInBody } = dialect
  const roleKey = `listed.value ->> CAST('roleKey' AS text)`
  const inLast = (expression: string) => `(SELECT ${expression} FROM ${table(ASSIGNMENTS)} AS last
    WHERE last.scope = project.number AND last.role = ${roleKey} AND last.org = ? AND last.user_id = ?
    ORDER BY last.begin_at DESC LIMIT 1)`
  const shown = `(SELECT body FROM ${table(OBJECTS.project_role)} AS shown
    WHERE shown.scope = project.number AND shown.key = ${roleKey})`
  const grant = `(SELECT body FROM ${table(OBJECTS.user_grant)} WHERE ${hasKey(dialect)})`
  const columns = [
    roleKey,
    inLast('last.expires_at'),
    inLast(`COALESCE(last.ended_with, '')`),
    shown,
  ]
  return `SELECT ${jsonRows(columns)} FROM (SELECT number FROM ${table(NAMES)} WHERE name = ?) AS project
    CROSS JOIN ${listInBody(grant, 'roles')}`
}

/** The roles of the groups that the user was last reported in, since their mappings were added. */
const mappedRoles = (dialect: Dialect): string => {
  const { table, jsonRows } = dialect
  const { sql: isActive } = allOf(active(dialect, ['provider'], { held: 'held', scope: NO_SCOPE }))
  const columns = [
    'held.role',
    'held.idp',
    'held.grp',
    expiryOf('held', 'member'),
    `CASE WHEN ${isActive} THEN 1 ELSE 0 END`,
    'shown.body',
  ]
  // In this order: a user has few groups, and a project many mappings.
  return `SELECT ${jsonRows(columns)} FROM ${table(MEMBERS)} AS member CROSS JOIN ${table(MAPPED)} AS held
    LEFT JOIN ${table(OBJECTS.project_role)} AS shown ON shown.scope = held.scope AND shown.key = held.role
    WHERE member.user_id = ? AND member.org = ? AND member.end_at IS NULL
      AND ${isMemberOf('member', 'held')} AND ${holdsNumber(dialect, 'held.scope')}
      AND held.end_at IS NULL AND held.since < member.begin_at`
}

/** The scope of a provider is its organization. */
const NO_SCOPE: Statement = sql``

/** A page of the roles of a user that count, and how far the read model is. */
export function* readHeldRoles(
  dialect: Dialect,
  query: HeldRolesQuery,
): Steps<FoundAtHead<Slice<HeldRole>>> {
  type Row = readonly [
    scope: string,
    role: string,
    idp: string,
    group: string,
    expires: Integer,
    body: string | null,
  ]
  const { found, ...positions } = pageOf<Row>(yield heldRolesStatement(dialect, query))
  const held = found.map(([scope, roleKey, idpId, group, expires, body]) => ({
    ...projectOf(scope),
    roleKey,
    ...shownRole(body),
    ...expiry(expires),
    via: wayOf(idpId, group),
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
    idp: string,
    group: string,
    user: string,
    expires: Integer,
    given: string,
    scope: string,
  ]
  const { found, ...positions } = pageOf<Row>(yield holdersStatement(dialect, query))
  const holders = found.map(([roleKey, orgId, idpId, group, userId, expires, given, scope]) => ({
    userId,
    orgId,
    ...(query.projectId === undefined && { projectId: projectOf(scope).projectId }),
    roleKey,
    ...expiry(expires),
    from: timeOf(BigInt(given)),
    via: wayOf(idpId, group),
  }))
  return { ...positions, found: sliceOf(holders, query.limit) }
}

/** The way of a role, by the provider and the group; both are empty for a grant. */
const wayOf = (idpId: string, group: string): RoleWay => (idpId === '' ? 'grant' : { idpId, group })

const sliceOf = <Item>(found: readonly Item[], limit: number): Slice<Item> => ({
  items: found.slice(0, limit),
  hasMore: found.length > limit,
})

/** The display fields of a role, from its body; empty if the role does not exist. */
const shownRole = (
  body: string | null,
): Pick<FoundRole, 'displayName' | 'group' | 'permissions'> => {
  if (body === null) return { displayName: '', group: '', permissions: [] }
  const { displayName, group, permissions }: ProjectRole = JSON.parse(body)
  return { displayName, group, permissions }
}

/** When a role expires, if it does. */
const expiry = (expires: Integer): Pick<FoundRole, 'expiresAt'> =>
  expires === null ? {} : { expiresAt: new Date(Number(expires)) }

/** Finds the roles that count for a user, one more than the limit, each with the positions. */
export const heldRolesStatement = (dialect: Dialect, query: HeldRolesQuery): Statement => {
  const { orgId, userId, projectId, at, now, after, limit } = query
  const { table } = dialect
  const order = 'scope, role, idp, grp'
  const arm = (
    from: string,
    { holder, expires, way }: { readonly [Name in 'holder' | 'expires' | 'way']: string },
    counts: readonly Statement[],
  ): Statement => {
    const conditions = allOf([
      sql`${holder}.user_id = ${param(userId)} AND ${holder}.org = ${param(orgId)}`,
      ...counts,
      ...(projectId === undefined ? [] : [endsWith('project.name', `+${projectId}`)]),
      ...(after === undefined ? [] : [isAfterRole(after, way)]),
    ])
    return sql`SELECT project.name AS scope, held.role, ${way}, ${expires} AS expires_at, shown.body
      FROM ${from} JOIN ${table(NAMES)} AS project ON project.number = held.scope
      LEFT JOIN ${table(OBJECTS.project_role)} AS shown ON shown.scope = held.scope AND shown.key = held.role
      WHERE ${conditions}`
  }
  const counted = { scope: SCOPE_OF_PROJECT, now, at }
  const arms = [
    arm(
      `${table(ASSIGNMENTS)} AS held`,
      { holder: 'held', expires: 'held.expires_at', way: NO_WAY },
      counting(dialect, counted),
    ),
    arm(
      `${table(MEMBERS)} AS member JOIN ${table(MAPPED)} AS held ON ${isMemberOf('member', 'held')}`,
      { holder: 'member', expires: expiryOf('held', 'member'), way: 'held.idp, held.grp' },
      countingMembers(dialect, counted),
    ),
  ]
  const page = sql`SELECT * FROM (${joined(arms, ' UNION ALL ')}) AS page_of_ways ORDER BY ${order} LIMIT ${param(limit + 1)}`
  return {
    name: `hr${flags(projectId, at, after)}`,
    ...sql`${besidePositions(dialect, `${order}, expires_at, body`, page)} ORDER BY ${order}`,
  }
}

/** The provider and the group of a grant. */
const NO_WAY = `'' AS idp, '' AS grp`

/** Whether a role comes after another one, by the columns of its way. */
const isAfterRole = (
  [projectOrgId, projectId, roleKey, ...way]: NonNullable<HeldRolesQuery['after']>,
  columns: string,
): Statement => {
  const scope = projectScope(projectOrgId, projectId)
  const role = ['project.name', 'held.role']
  // Within one role, the grant sorts first.
  return columns === NO_WAY
    ? isAfter(role, [scope, roleKey])
    : isAfter([...role, 'held.idp', 'held.grp'], [scope, roleKey, ...way])
}

/**
 * Limits for the holders of one role: the smallest that is enough is written into the SQL. With a parameter, PostgreSQL
 * plans each page again, which takes longer than reading it. The holders of several roles keep the parameter: a plan
 * made for a small table would read all of a large one.
 */
const PAGE_SIZES = [20, 100, 1000]

/** Index of the limit in {@link PAGE_SIZES}; -1 when it is a parameter. */
const sizeOf = ({ roleKey, limit }: HoldersQuery): number =>
  roleKey === undefined ? -1 : PAGE_SIZES.findIndex((size) => size >= limit)

/** How many rows are read for a page. */
const rowsOfPage = (query: HoldersQuery): Statement | number => {
  const size = PAGE_SIZES[sizeOf(query)]
  return size === undefined ? param(query.limit + 1) : size + 1
}

/** Finds the users for whom roles count, at least one more than the limit, each with the positions. */
export const holdersStatement = (dialect: Dialect, query: HoldersQuery): Statement => {
  const { projectId, userId, roleKey, permission, at, after } = query
  const order = `${projectId === undefined ? 'scope, ' : ''}role, org, idp, grp, user_id`
  const arms = [grantHolders(dialect, query), groupHolders(dialect, query)].map((holders) =>
    projectId === undefined
      ? holdersInAll(dialect, query, holders, order)
      : holdersInOne(dialect, query, holders, projectId),
  )
  const pages = arms.map((arm, index) => sql`SELECT * FROM (${arm}) AS page_${index}`)
  const columns = 'role, org, idp, grp, user_id, expires_at, given, scope'
  const page = sql`SELECT * FROM (${joined(pages, ' UNION ALL ')}) AS pages ORDER BY ${order} LIMIT ${rowsOfPage(query)}`
  const follows = after === undefined ? 0 : followsBy(query, after)
  const variant = (follows * (PAGE_SIZES.length + 1) + sizeOf(query) + 1).toString(36)
  return {
    name: `w${flags(projectId, userId, roleKey, permission, at)}${variant}`,
    ...sql`${besidePositions(dialect, columns, page)} ORDER BY ${order}`,
  }
}

/** The holders of roles in one project. */
const holdersInOne = (
  dialect: Dialect,
  query: HoldersQuery,
  { held, members, columns, orderBy, conditions }: Holders,
  projectId: string,
): Statement => {
  const { orgId, userId } = query
  const name = projectScope(orgId, projectId)
  // The plus keeps a database from reading the whole project in order, where few rows are of the user.
  const isInProject = isNamed(dialect, userId === undefined ? 'held.scope' : '+held.scope', name)
  const all = allOf([isInProject, ...conditions(param(name))])
  return sql`SELECT ${columns}, '' AS scope FROM ${held} ${members} WHERE ${all} ORDER BY ${orderBy} LIMIT ${rowsOfPage(query)}`
}

/** The holders of roles in all projects of an organization, project by project. */
const holdersInAll = (
  dialect: Dialect,
  query: HoldersQuery,
  { held, members, columns, orderBy, conditions }: Holders,
  order: string,
): Statement => {
  const { orgId, userId, after } = query
  const inOrder = allOf([
    // The comma is the character after the plus.
    sql`project.name > ${param(`${orgId}+`)} AND project.name < ${param(`${orgId},`)}`,
    ...(after ? [sql`project.name >= ${param(projectScope(orgId, after[0]))}`] : []),
  ])
  const counted = allOf(conditions(SCOPE_OF_PROJECT))
  const projects = `${dialect.table(NAMES)} AS project`
  const selected = `SELECT ${columns}, project.name AS scope FROM`
  const most = rowsOfPage(query)
  // Few rows are of one user: a join finds them first, and then their projects.
  if (!dialect.hasLateral || userId !== undefined)
    return sql`${selected} ${projects} JOIN ${held} ON held.scope = project.number ${members}
      WHERE ${inOrder} AND ${counted} ORDER BY scope, ${orderBy} LIMIT ${most}`
  return sql`SELECT found.* FROM ${projects} CROSS JOIN LATERAL (
      ${selected} ${held} ${members} WHERE held.scope = project.number AND ${counted} ORDER BY ${orderBy} LIMIT ${most}
    ) AS found WHERE ${inOrder} ORDER BY ${order} LIMIT ${most}`
}

type After = NonNullable<HoldersQuery['after']>

/** One way to have roles: where to find its holders, and in which order. */
interface Holders {
  /** The table of assignments, called `held`. */
  readonly held: string
  /** What is joined to it. */
  readonly members: string
  readonly columns: string
  readonly orderBy: string
  /** What holds of the rows, in a project of that name. */
  readonly conditions: (scope: Statement) => readonly Statement[]
}

/** The users who were granted roles. */
const grantHolders = (dialect: Dialect, query: HoldersQuery): Holders => {
  const { userId, now, at, after } = query
  const rest =
    after && isByGrant(after)
      ? { columns: ['held.user_id'], values: after.slice(-1) }
      : { columns: [], values: [] }
  return {
    held: `${dialect.table(ASSIGNMENTS)} AS held`,
    members: '',
    columns: `held.role, held.org, ${NO_WAY}, held.user_id, held.expires_at, held.given`,
    orderBy: 'held.role, held.org, held.user_id',
    conditions: (scope) => [
      ...ofRole(dialect, query),
      userId === undefined ? sql`held.user_id <> ''` : sql`held.user_id = ${param(userId)}`,
      ...counting(dialect, { scope, now, at }),
      ...(after ? [followsHolder(query, after, rest)] : []),
    ],
  }
}

/** The members of groups that have roles. */
const groupHolders = (dialect: Dialect, query: HoldersQuery): Holders => {
  const { table } = dialect
  const { userId, now, at, after } = query
  const rest = {
    columns: ['held.idp', 'held.grp', 'member.user_id'],
    values: after?.slice(-3) ?? [],
  }
  return {
    held: `${table(MAPPED)} AS held`,
    members: `JOIN ${table(MEMBERS)} AS member ON ${isMemberOf('held', 'member')}`,
    columns: `held.role, held.org, held.idp, held.grp, member.user_id, ${expiryOf('held', 'member')} AS expires_at,
      CASE WHEN member.given > held.given THEN member.given ELSE held.given END AS given`,
    // Rows that differ only in their beginning exclude each other; with it, an index has the rows in this order.
    orderBy: 'held.role, held.org, held.idp, held.grp, held.begin_at, member.user_id',
    conditions: (scope) => [
      ...ofRole(dialect, query),
      ...(userId === undefined ? [] : [sql`member.user_id = ${param(userId)}`]),
      ...countingMembers(dialect, { scope, now, at }),
      ...(after ? [followsHolder(query, after, rest)] : []),
    ],
  }
}

/** The role of an assignment is asked for, or has the permission that is. */
const ofRole = (dialect: Dialect, query: HoldersQuery): readonly Statement[] => {
  const { roleKey, permission } = query
  return [
    ...(roleKey === undefined ? [] : [sql`held.role = ${param(roleKey)}`]),
    ...(permission === undefined ? [] : [isAllowed(dialect, query, permission)]),
  ]
}

/** Where `project` is joined. */
const SCOPE_OF_PROJECT = sql`project.name`

/** The role of an assignment, called `held`, has a permission, now or at a position. */
const isAllowed = (
  dialect: Dialect,
  { orgId, projectId, at }: HoldersQuery,
  permission: string,
): Statement => {
  const allowing = allOf([
    projectId === undefined
      ? sql`allowed.scope = held.scope`
      : isNamed(dialect, 'allowed.scope', projectScope(orgId, projectId)),
    sql`allowed.permission = ${param(permission)}`,
    lasting('allowed', at),
  ])
  return sql`held.role IN (SELECT allowed.role FROM ${dialect.table(ROLE_PERMISSIONS)} AS allowed WHERE ${allowing})`
}

/** Which of the values are given: another text has another name. */
const flags = (...given: readonly unknown[]): string =>
  given.map((value) => (value === undefined ? 0 : 1)).join('')

/**
 * Whether a holder comes after another one, in the project of that one or a later one. With one role, an index continues
 * with the remaining columns.
 *
 * @param rest - what decides of the same role and organization
 */
const followsHolder = (
  query: HoldersQuery,
  after: After,
  rest: { readonly columns: readonly string[]; readonly values: readonly string[] },
): Statement => {
  const { orgId, projectId } = query
  const [role = '', org = ''] = projectId === undefined ? after.slice(1) : after
  const known = isOfRole(query, after) ? 1 : 0
  const columns = ['held.role', 'held.org', ...rest.columns].slice(known)
  const values = [role, org, ...rest.values].slice(known)
  if (projectId !== undefined) return isAfter(columns, values)
  // In a later project all holders come after it.
  const scope = param(projectScope(orgId, after[0]))
  const from = values.map(
    (value) => sql`CASE WHEN project.name > ${scope} THEN '' ELSE ${param(value)} END`,
  )
  return sql`(${columns.join(', ')}) > (${joined(from, ', ')})`
}

/** Whether the holder of a key has the one role that is asked for. */
const isOfRole = ({ projectId, roleKey }: HoldersQuery, after: After): boolean =>
  after[projectId === undefined ? 1 : 0] === roleKey

/** Whether the holder of a key has the role by a grant. */
const isByGrant = (after: After): boolean => after.at(-3) === ''

/** Distinguishes the texts of statements for pages after the first. */
const followsBy = (query: HoldersQuery, after: After): number =>
  (isOfRole(query, after) ? 1 : 2) + (isByGrant(after) ? 0 : 2)

const endsWith = (text: string, end: string): Statement =>
  sql`substr(${text}, length(${text}) - ${param([...end].length - 1)}) = ${param(end)}`
