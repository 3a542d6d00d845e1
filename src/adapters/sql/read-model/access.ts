import type {
  AccessQuery,
  FoundAccess,
  FoundGrant,
  FoundMappedRole,
  FoundProject,
  FoundRole,
  LostRole,
} from '../../../ports/access-reads.js'
import type { FoundAtHead } from '../../../ports/read-model.js'
import { byMappedRole, compareCodePoints } from '../../../projections/row-order.js'
import { foundProject, placeScope, projectScope } from '../../../projections/rows.js'
import type { Dialect, Integer, Statement, Steps } from '../dialect.js'
import { endedWith, expiryOf, isCurrent, isMemberOf, stands, streamOf } from './counts.js'
import { IS_GRANTED } from './lists.js'
import {
  atHead,
  GRANTS,
  MAPPED,
  MEMBERS,
  OBJECTS,
  oneOf,
  PLACES,
  type Positions,
  positionColumns,
  SHARES,
} from './tables.js'

/** All that decides whether a user has access to a project, and how far the read model is. */
export function* readAccess(dialect: Dialect, query: AccessQuery): Steps<FoundAtHead<FoundAccess>> {
  type Found = readonly [
    ...Positions,
    project: string | null,
    projectGrant: FoundProject['state'] | null,
    mapped: string,
    ...grants: readonly string[],
  ]
  const row = oneOf<Found>(yield accessStatement(dialect, query))
  const [head, reached, project, projectGrant, mapped, ...grants] = row
  // What lies in a project is gone with it.
  if (project === null) return atHead([head, reached], NO_PROJECT)
  return atHead([head, reached], {
    project: foundProject(JSON.parse(project)),
    projectGrant: projectGrant ?? undefined,
    grants: grants.flatMap(grantsIn),
    mapped: mappedIn(JSON.parse(mapped)),
  })
}

const NO_PROJECT: FoundAccess = {
  project: undefined,
  projectGrant: undefined,
  grants: [],
  mapped: [],
}

/** A role of a grant; what ended it, if it is not current, and the body of the role. */
type StoredRole = readonly [
  roleKey: string,
  expires: number | null,
  endedWith: LostRole['with'] | null,
  body: string | null,
]

/** A grant. SQLite nests JSON, PostgreSQL its text. */
type StoredGrant = readonly [state: FoundGrant['state'], roles: readonly StoredRole[] | string]

const grantsIn = (json: string): readonly FoundGrant[] => {
  const found: readonly StoredGrant[] = JSON.parse(json)
  return found.map(([state, roles]) => ({
    state,
    ...rolesIn(typeof roles === 'string' ? JSON.parse(roles) : roles),
  }))
}

const rolesIn = (stored: readonly StoredRole[]): Omit<FoundGrant, 'state'> => {
  const roles: FoundRole[] = []
  const lost: LostRole[] = []
  for (const [roleKey, expires, ended, body] of stored)
    if (ended === null) roles.push({ roleKey, ...shownRole(body), ...expiry(expires) })
    else lost.push({ roleKey, with: ended })
  return { roles: roles.sort(byRole), lost: lost.sort(byRole) }
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
  resource: string,
  body: string | null,
]

const mappedIn = (stored: readonly StoredMappedRole[]): readonly FoundMappedRole[] =>
  stored
    .map(([roleKey, idpId, group, expires, isProviderActive, resource, body]) => ({
      roleKey,
      ...shownRole(body),
      ...expiry(expires),
      via: { idpId, group },
      ...(resource !== '' && { resource }),
      isProviderActive: isProviderActive === 1,
    }))
    .sort(byMappedRole)

/** Finds all that decides whether a user has access to a project, in one row. */
export const accessStatement = (dialect: Dialect, query: AccessQuery): Statement => {
  const { orgId, userId, projectOrgId, projectId, resource } = query
  const { table, fieldInBody } = dialect
  const scope = projectScope(projectOrgId, projectId)
  const places =
    resource === undefined ? [scope] : [scope, placeScope(projectOrgId, projectId, resource)]
  const object = (type: 'project' | 'project_grant', column: string) =>
    `(SELECT ${column} FROM ${table(OBJECTS[type])} AS object WHERE object.scope = ? AND object.key = ?)`
  return {
    ...dialect.named(
      resource === undefined ? 'access' : 'access on',
      () => `SELECT ${positionColumns(dialect)}, ${object('project', 'object.body')} AS project,
      ${object('project_grant', fieldInBody('state'))} AS project_grant,
      (${mappedRoles(dialect, resource)}) AS mapped,
      ${places.map((_, index) => `(${grantThere(dialect)}) AS grant_${index}`).join(', ')}`,
    ),
    parameters: [
      ...[projectOrgId, projectId, scope, orgId],
      ...[userId, orgId, orgId, scope, ...(resource === undefined ? [] : [resource])],
      ...places.flatMap((place) => [orgId, place, userId]),
    ],
  }
}

/** The grant of a user at a place. */
const grantThere = (dialect: Dialect): string => {
  const { table, jsonRows } = dialect
  const columns = [`COALESCE(object.state, 'active')`, `(${givenRoles(dialect)})`]
  return `SELECT ${jsonRows(columns)} FROM ${table(PLACES)} AS place CROSS JOIN ${table(GRANTS)} AS object
    WHERE place.org = ? AND place.scope = ? AND object.place = place.number
      AND object.user_id = ? AND ${IS_GRANTED.sql}`
}

/** The roles of a grant, called `object`. */
const givenRoles = (dialect: Dialect): string => {
  const { table, jsonRows } = dialect
  const { from, columns } = dialect.listedShares('object.shares')
  const current = isCurrent(dialect, 'share').sql
  const ended = `CASE WHEN ${current} THEN NULL ELSE ${endedWith(dialect, 'share')} END`
  const role = ['share.role', columns.expiresAt, ended, bodyOfRole(dialect)]
  return `SELECT ${jsonRows(role)} FROM ${from} CROSS JOIN ${table(SHARES)} AS share
    WHERE share.number = ${columns.share}`
}

/** The body of the role in a row with its `scope` and `role`; null if the role or its project does not exist. */
export const bodyOfRole = (dialect: Dialect, row = 'share'): string => {
  const exists = stands(dialect, streamOf.project(row), { orInactive: true })
  return `(SELECT shown.body FROM ${dialect.table(OBJECTS.project_role)} AS shown
    WHERE shown.scope = ${row}.scope AND shown.key = ${row}.role AND ${exists.sql})`
}

/** The roles of the groups that the user was last reported in, since their mappings were added. */
const mappedRoles = (dialect: Dialect, resource: string | undefined): string => {
  const { table, jsonRows } = dialect
  const provider = streamOf.provider({ org: 'mapped.org', idp: 'mapped.idp' })
  const columns = [
    'share.role',
    'mapped.idp',
    'mapped.grp',
    expiryOf('mapped', 'member'),
    `CASE WHEN ${stands(dialect, provider).sql} THEN 1 ELSE 0 END`,
    'mapped.resource',
    bodyOfRole(dialect),
  ]
  // In this order: a user has few groups, and a project many mappings.
  return `SELECT ${jsonRows(columns)} FROM ${table(MEMBERS)} AS member CROSS JOIN ${table(MAPPED)} AS mapped
    CROSS JOIN ${table(SHARES)} AS share
    WHERE member.user_id = ? AND member.org = ? AND member.end_at IS NULL AND ${isMemberOf('mapped', 'member')}
      AND mapped.end_at IS NULL AND mapped.since < member.begin_at
      AND share.number = mapped.share AND share.org = ? AND share.scope = ?
      AND ${resource === undefined ? `mapped.resource = ''` : `mapped.resource IN ('', ?)`}
      AND ${stands(dialect, provider, { orInactive: true }).sql} AND ${isCurrent(dialect, 'share').sql}`
}

/** The display fields of a role, from its body; empty if the role does not exist. */
export const shownRole = (
  body: string | null,
): Pick<FoundRole, 'displayName' | 'group' | 'permissions'> => {
  if (body === null) return { displayName: '', group: '', permissions: [] }
  const { displayName, group, permissions }: FoundRole = JSON.parse(body)
  return { displayName, group, permissions }
}

/** When a role expires, if it does. */
export const expiry = (expires: Integer): Pick<FoundRole, 'expiresAt'> =>
  expires === null ? {} : { expiresAt: new Date(Number(expires)) }
