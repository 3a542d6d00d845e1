import type {
  AccessQuery,
  FoundAccess,
  FoundGrant,
  FoundMappedRole,
  FoundProject,
  FoundRole,
  LostRole,
} from '../../../ports/access-reads.js'
import type { Position } from '../../../ports/event-store.js'
import type { FoundAtHead } from '../../../ports/read-model.js'
import { byMappedRole, compareCodePoints } from '../../../projections/row-order.js'
import { foundProject, getOrAdd, placeScope, projectScope } from '../../../projections/rows.js'
import type { Dialect, Integer, Statement, Steps } from '../dialect.js'
import { activity, endedWith, expiryOf, isMemberOf, stands, streamOf } from './counts.js'
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
    roles: string,
  ]
  const row = oneOf<Found>(yield accessStatement(dialect, query))
  const [head, reached, project, projectGrant, roles] = row
  // What lies in a project is gone with it.
  if (project === null) return atHead([head, reached], NO_PROJECT)
  return atHead([head, reached], {
    project: foundProject(JSON.parse(project)),
    projectGrant: projectGrant ?? undefined,
    ...rolesIn(JSON.parse(roles)),
  })
}

const NO_PROJECT: FoundAccess = {
  project: undefined,
  projectGrant: undefined,
  grants: [],
  mapped: [],
}

/** A role of a grant, or of a group that the user was last reported in. */
type StoredRole = readonly [
  roleKey: string,
  expires: number | null,
  /** What ended the generation of the role, if it is not current. */
  endedWith: LostRole['with'] | null,
  body: string | null,
  resource: string,
  /** The state of the grant; null for a role of a group. */
  state: FoundGrant['state'] | null,
  /** What gives the role of a group; null for a role of a grant, or if the provider is gone. */
  isProviderActive: number | null,
  idpId: string | null,
  group: string | null,
]

const rolesIn = (stored: readonly StoredRole[]): Pick<FoundAccess, 'grants' | 'mapped'> => {
  const grants = new Map<string, FoundGrant & { roles: FoundRole[]; lost: LostRole[] }>()
  const mapped: FoundMappedRole[] = []
  for (const [
    roleKey,
    expires,
    ended,
    body,
    resource,
    state,
    isProviderActive,
    idpId,
    group,
  ] of stored) {
    const role = { roleKey, ...shownRole(body), ...expiry(expires) }
    if (state !== null) {
      const grant = getOrAdd(grants, resource, () => ({ state, roles: [], lost: [] }))
      if (ended === null) grant.roles.push(role)
      else grant.lost.push({ roleKey, with: ended })
    } else if (ended === null && isProviderActive !== null && idpId !== null && group !== null)
      mapped.push({
        ...role,
        via: { idpId, group },
        ...(resource !== '' && { resource }),
        isProviderActive: isProviderActive === 1,
      })
  }
  for (const { roles, lost } of grants.values()) {
    roles.sort(byRole)
    lost.sort(byRole)
  }
  // The whole project, then the resource.
  const found = [...grants].sort(([one], [other]) => compareCodePoints(one, other))
  return { grants: found.map(([, grant]) => grant), mapped: mapped.sort(byMappedRole) }
}

const byRole = (one: FoundRole | LostRole, other: FoundRole | LostRole): number =>
  compareCodePoints(one.roleKey, other.roleKey)

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
      (${rolesThere(dialect, places.length)}) AS roles`,
    ),
    parameters: [
      ...[projectOrgId, projectId, scope, orgId],
      ...[orgId, ...places, userId],
      ...[userId, orgId, ...(resource === undefined ? [] : [resource]), orgId, scope],
    ],
  }
}

/** The roles of a user at a place, or at a project and a resource of it. A role is looked at in one way, whatever gives it. */
const rolesThere = (dialect: Dialect, places: number): string => {
  const { table, jsonRows, listedShares } = dialect
  const { from, columns } = listedShares('object.shares')
  const provider = streamOf.provider({ org: 'mapped.org', idp: 'mapped.idp' })
  const granted = `SELECT ${columns.share} AS share, ${columns.expiresAt} AS expires, place.resource,
      COALESCE(object.state, 'active') AS state, NULL AS is_provider_active, NULL AS idp, NULL AS grp
    FROM ${table(PLACES)} AS place CROSS JOIN ${table(GRANTS)} AS object CROSS JOIN ${from}
    WHERE place.org = ? AND place.scope ${places === 1 ? '= ?' : 'IN (?, ?)'} AND object.place = place.number
      AND object.user_id = ? AND ${IS_GRANTED.sql}`
  // In this order: a user has few groups, and a project many mappings.
  const mapped = `SELECT mapped.share, ${expiryOf('mapped', 'member')}, mapped.resource, NULL,
      ${activity(dialect, provider)}, mapped.idp, mapped.grp
    FROM ${table(MEMBERS)} AS member CROSS JOIN ${table(MAPPED)} AS mapped
    WHERE member.user_id = ? AND member.org = ? AND member.end_at IS NULL AND ${isMemberOf('mapped', 'member')}
      AND mapped.end_at IS NULL AND mapped.since < member.begin_at
      AND ${places === 1 ? `mapped.resource = ''` : `mapped.resource IN ('', ?)`}`
  const role = [
    'share.role',
    'given.expires',
    endedWith(dialect, 'share'),
    bodyOfRole(dialect),
    'given.resource',
  ]
  const way = ['given.state', 'given.is_provider_active', 'given.idp', 'given.grp']
  return `SELECT ${jsonRows([...role, ...way])} FROM (${granted} UNION ALL ${mapped}) AS given CROSS JOIN ${table(SHARES)} AS share
    WHERE share.number = given.share
      AND share.place = (SELECT whole.number FROM ${table(PLACES)} AS whole WHERE whole.org = ? AND whole.scope = ?)`
}

/**
 * The body of the role of `share`, null if it does not exist: of one whose project does, or did right after the event at a
 * position.
 */
export const bodyOfRole = (dialect: Dialect, at?: Position): string => {
  const exists = stands(dialect, streamOf.project('share'), { orInactive: true })
  return `(SELECT shown.body FROM ${dialect.table(OBJECTS.project_role)} AS shown
    WHERE shown.scope = share.scope AND shown.key = share.role ${at === undefined ? '' : `AND ${exists.sql}`})`
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
