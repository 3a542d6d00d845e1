import { aggregates } from '../../../domain/aggregates.js'
import type {
  AccessQuery,
  Affected,
  AffectedQuery,
  FoundAccess,
  FoundProject,
  FoundRole,
  HeldRole,
  HeldRolesQuery,
  Holder,
  HoldersQuery,
  LostRole,
  Slice,
} from '../../../ports/access-reads.js'
import { type Position, timeOf } from '../../../ports/event-store.js'
import type { FoundAtHead, ProjectRole, UserGrant } from '../../../ports/read-model.js'
import { compareCodePoints } from '../../../projections/row-order.js'
import { foundProject, projectOf, projectScope } from '../../../projections/rows.js'
import {
  allOf,
  boundedPosition,
  type Dialect,
  type Integer,
  type Parameter,
  type Statement,
  type Steps,
} from '../dialect.js'
import {
  ASSIGNMENTS,
  atHead,
  besidePositions,
  findOne,
  findPage,
  hasKey,
  isNamed,
  NAMES,
  OBJECTS,
  type Positions,
  positionColumns,
  ROLE_PERMISSIONS,
  SUSPENSIONS,
} from './tables.js'

/** All that decides whether a user has access to a project, and how far the read model is. */
export function* readAccess(dialect: Dialect, query: AccessQuery): Steps<FoundAtHead<FoundAccess>> {
  type Found = readonly [
    ...Positions,
    project: string | null,
    projectGrant: FoundProject['state'] | null,
    userGrant: string | null,
    roles: string,
  ]
  const row = yield* findOne<Found>(accessStatement(dialect, query))
  const [head, reached, project, projectGrant, userGrant, roles] = row
  return atHead([head, reached], {
    project: project === null ? undefined : foundProject(JSON.parse(project)),
    projectGrant: projectGrant ?? undefined,
    ...grantOf(userGrant === null ? undefined : JSON.parse(userGrant), JSON.parse(roles)),
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
      (${lastOfRoles(dialect)}) AS roles`,
    ),
    parameters: [
      ...[projectOrgId, projectId, scope, orgId, orgId, grantKey],
      ...[orgId, userId, orgId, userId, scope, orgId, grantKey],
    ],
  }
}

/**
 * The last assignment of each role of the user's grant, what ended it, and the role as it is shown. Each is looked up by
 * its key, so that earlier assignments of the role cost nothing.
 */
const lastOfRoles = (dialect: Dialect): string => {
  const { table, jsonRows, listInBody } = dialect
  const roleKey = `listed.value ->> 'roleKey'`
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

/** A page of the roles of a user that count, and how far the read model is. */
export function* readHeldRoles(
  dialect: Dialect,
  query: HeldRolesQuery,
): Steps<FoundAtHead<Slice<HeldRole>>> {
  type Row = readonly [scope: string, role: string, expires: Integer, body: string | null]
  const { found, ...positions } = yield* findPage<Row>(heldRolesStatement(dialect, query))
  const held = found.map(([scope, roleKey, expires, body]) => ({
    ...projectOf(scope),
    roleKey,
    ...shownRole(body),
    ...expiry(expires),
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
    user: string,
    expires: Integer,
    given: string,
    scope: string,
  ]
  const { found, ...positions } = yield* findPage<Row>(holdersStatement(dialect, query))
  const holders = found.map(([roleKey, orgId, userId, expires, given, scope]) => ({
    userId,
    orgId,
    ...(query.projectId === undefined && { projectId: projectOf(scope).projectId }),
    roleKey,
    ...expiry(expires),
    from: timeOf(BigInt(given)),
  }))
  return { ...positions, found: sliceOf(holders, query.limit) }
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

const sliceOf = <Item>(found: readonly Item[], limit: number): Slice<Item> => ({
  items: found.slice(0, limit),
  hasMore: found.length > limit,
})

/** How a role is shown, by its body; empty when there is no such role. */
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

/** Finds the roles of a user that count, one more than asked for, and the positions beside each. */
export const heldRolesStatement = (dialect: Dialect, query: HeldRolesQuery): Statement => {
  const { orgId, userId, projectId, at, now, after, limit } = query
  const { table } = dialect
  const counts = allOf([
    { sql: 'held.org = ? AND held.user_id = ?', parameters: [orgId, userId] },
    ...counting(dialect, { scope: SCOPE_OF_PROJECT, now, at }),
    ...(projectId === undefined ? [] : [endsWith('project.name', `+${projectId}`)]),
    ...(after === undefined
      ? []
      : [isAfter(['project.name', 'held.role'], [projectScope(after[0], after[1]), after[2]])]),
  ])
  return {
    name: `hr${flags(projectId, at, after)}`,
    sql: `${besidePositions(
      dialect,
      'scope, role, expires_at, body',
      `SELECT project.name AS scope, held.role, held.expires_at, shown.body
        FROM ${table(ASSIGNMENTS)} AS held JOIN ${table(NAMES)} AS project ON project.number = held.scope
        LEFT JOIN ${table(OBJECTS.project_role)} AS shown ON shown.scope = held.scope AND shown.key = held.role
        WHERE ${counts.sql} ORDER BY project.name, held.role LIMIT ?`,
    )} ORDER BY scope, role`,
    parameters: [...counts.parameters, limit + 1],
  }
}

/** Finds the users who have roles that count, one more than asked for, and the positions beside each. */
export const holdersStatement = (dialect: Dialect, query: HoldersQuery): Statement => {
  const { projectId, userId, roleKey, permission, at, now, after, limit } = query
  const { from, isAsked, scope } = holdersOf(dialect, query)
  const counts = allOf([
    isAsked,
    userId === undefined
      ? { sql: `held.user_id <> ''`, parameters: [] }
      : { sql: 'held.user_id = ?', parameters: [userId] },
    ...(roleKey === undefined ? [] : [{ sql: 'held.role = ?', parameters: [roleKey] }]),
    ...(permission === undefined ? [] : [isAllowed(dialect, query, permission)]),
    ...counting(dialect, { scope, now, at }),
    ...(after === undefined ? [] : [followsHolder(query, after)]),
  ])
  const order = `${projectId === undefined ? 'scope, ' : ''}role, org, user_id`
  return {
    name: `w${flags(projectId, userId, roleKey, permission, at)}${after === undefined ? 0 : isGoingOn(roleKey, after) ? 1 : 2}`,
    sql: `${besidePositions(
      dialect,
      'role, org, user_id, expires_at, given, scope',
      `SELECT held.role, held.org, held.user_id, held.expires_at, held.given, ${projectId === undefined ? scope.sql : `''`} AS scope
        FROM ${from} WHERE ${counts.sql} ORDER BY ${order} LIMIT ?`,
    )} ORDER BY ${order}`,
    parameters: [...counts.parameters, limit + 1],
  }
}

/** Where to look for the holders of roles: in one project, or in all of an organization. */
const holdersOf = (dialect: Dialect, { orgId, projectId, userId }: HoldersQuery) => {
  const held = `${dialect.table(ASSIGNMENTS)} AS held`
  if (projectId !== undefined) {
    const name = projectScope(orgId, projectId)
    // The plus keeps a database from reading the whole project in order, where few rows are of the user.
    const isAsked = isNamed(dialect, userId === undefined ? 'held.scope' : '+held.scope', name)
    return { from: held, isAsked, scope: { sql: '?', parameters: [name] } }
  }
  return {
    from: `${dialect.table(NAMES)} AS project JOIN ${held} ON held.scope = project.number`,
    // The comma is the character after the plus.
    isAsked: {
      sql: 'project.name > ? AND project.name < ?',
      parameters: [`${orgId}+`, `${orgId},`],
    },
    scope: SCOPE_OF_PROJECT,
  }
}

/** Where `project` is joined. */
const SCOPE_OF_PROJECT: Statement = { sql: 'project.name', parameters: [] }

/** Finds the roles of users that a change concerns, up to the limit, and beside each how many there are. */
export const affectedStatement = (dialect: Dialect, query: AffectedQuery): Statement => {
  const { orgId, projectId, roleKeys, userOrgId, asIfActive, at, now, limit } = query
  const scope = projectScope(orgId, projectId)
  const except = asIfActive && (userOrgId === undefined ? PROJECT : PROJECT_GRANT)
  const counts = allOf([
    isNamed(dialect, 'held.scope', scope),
    ...(roleKeys === undefined ? [] : [dialect.isListed('held.role', roleKeys)]),
    ...(userOrgId === undefined ? [] : [{ sql: 'held.org = ?', parameters: [userOrgId] }]),
    { sql: `held.user_id <> ''`, parameters: [] },
    ...counting(dialect, { scope: { sql: '?', parameters: [scope] }, now, at, except }),
  ])
  const found = `FROM ${dialect.table(ASSIGNMENTS)} AS held WHERE ${counts.sql}`
  const order = 'role, org, user_id'
  return {
    name: `hit${flags(roleKeys, userOrgId, asIfActive)}`,
    sql: `${besidePositions(
      dialect,
      `${order}, total`,
      // A window function would keep every row before it returns the first.
      `SELECT held.role, held.org, held.user_id, (SELECT count(*) ${found}) AS total
        ${found} ORDER BY ${order} LIMIT ?`,
    )} ORDER BY ${order}`,
    parameters: [...counts.parameters, ...counts.parameters, limit],
  }
}

/** The role of an assignment, called `held`, has a permission, or had it at a position. */
const isAllowed = (
  dialect: Dialect,
  { orgId, projectId, at }: HoldersQuery,
  permission: string,
): Statement => {
  const allowing = allOf([
    projectId === undefined
      ? { sql: 'allowed.scope = held.scope', parameters: [] }
      : isNamed(dialect, 'allowed.scope', projectScope(orgId, projectId)),
    { sql: 'allowed.permission = ?', parameters: [permission] },
    lasting('allowed', at),
  ])
  return {
    sql: `held.role IN (SELECT allowed.role FROM ${dialect.table(ROLE_PERMISSIONS)} AS allowed WHERE ${allowing.sql})`,
    parameters: allowing.parameters,
  }
}

/** Which of the values are given: another text has another name. */
const flags = (...given: readonly unknown[]): string =>
  given.map((value) => (value === undefined ? 0 : 1)).join('')

/** In one project, and with one role, an index goes on at what is not yet decided. */
const followsHolder = (
  { orgId, projectId, roleKey }: HoldersQuery,
  after: NonNullable<HoldersQuery['after']>,
): Statement => {
  const columns = ['held.role', 'held.org', 'held.user_id']
  if (projectId === undefined) {
    const [project = '', ...holder] = after
    return isAfter(['project.name', ...columns], [projectScope(orgId, project), ...holder])
  }
  return isGoingOn(roleKey, after)
    ? isAfter(columns.slice(1), after.slice(1))
    : isAfter(columns, after)
}

/** Whether a page of the holders of one role goes on within that role. */
const isGoingOn = (roleKey: string | undefined, [role]: NonNullable<HoldersQuery['after']>) =>
  role === roleKey

/** When and by which scope assignments, called `held`, count. */
interface Counted {
  /** The name of the scope. */
  readonly scope: Statement
  readonly now: Date
  /** As it is when undefined. */
  readonly at?: Position | undefined
  /** Counts as active. */
  readonly except?: Cover | undefined
}

/** What can be inactive of an assignment: the organization and the user, in SQL. */
type Cover = readonly [org: string, user: string]

const PROJECT: Cover = [`''`, `''`]
const PROJECT_GRANT: Cover = ['held.org', `''`]
const USER_GRANT: Cover = ['held.org', 'held.user_id']

/** An assignment holds, has not expired, and nothing that covers it is inactive. */
const counting = (dialect: Dialect, { scope, now, at, except }: Counted): readonly Statement[] => {
  const isActive = ([org, user]: Cover): Statement => {
    const lasts = lasting('suspension', at)
    return {
      sql: `NOT EXISTS (SELECT 1 FROM ${dialect.table(SUSPENSIONS)} AS suspension
        WHERE suspension.scope = ${scope.sql} AND suspension.org = ${org} AND suspension.user_id = ${user} AND ${lasts.sql})`,
      parameters: [...scope.parameters, ...lasts.parameters],
    }
  }
  return [
    lasting('held', at),
    {
      sql: '(held.expires_at IS NULL OR held.expires_at > ?)',
      parameters: [now.getTime()],
    },
    ...[PROJECT, PROJECT_GRANT, USER_GRANT].filter((cover) => cover !== except).map(isActive),
  ]
}

/** Whether a row holds, now or right after the event at a position. */
const lasting = (table: string, at: Position | undefined): Statement => {
  if (at === undefined) return { sql: `${table}.end_at IS NULL`, parameters: [] }
  const position = boundedPosition(at)
  return {
    sql: `${table}.begin_at <= ? AND (${table}.end_at IS NULL OR ${table}.end_at > ?)`,
    parameters: [position, position],
  }
}

const isAfter = (columns: readonly string[], values: readonly Parameter[]): Statement => ({
  sql: `(${columns.join(', ')}) > (${values.map(() => '?').join(', ')})`,
  parameters: values,
})

const endsWith = (text: string, end: string): Statement => ({
  sql: `substr(${text}, length(${text}) - ?) = ?`,
  parameters: [[...end].length - 1, end],
})
