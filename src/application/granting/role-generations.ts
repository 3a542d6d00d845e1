import { exists } from '../../domain/decider.js'
import { projects } from '../../domain/project/aggregate.js'
import { projectGrants } from '../../domain/project-grant/aggregate.js'
import type { ProjectGrantLife } from '../../domain/project-grant/decider.js'
import { projectRoles } from '../../domain/project-role/aggregate.js'
import type { UserGrantRole } from '../../domain/user-grant/events.js'
import type { OrgId, ProjectId, RoleKey } from '../../domain/values.js'
import type { Streams } from '../recording/streams.js'

/** A project, and the organization that owns it. */
export interface OwnedProject {
  readonly projectOrgId: OrgId
  readonly projectId: ProjectId
}

/** The generation of a role in which a user was given it, as the grant of the user records it. */
export type RoleGeneration = Pick<UserGrantRole, 'roleKey' | 'roleSince' | 'grantSince'>

/** What an organization can give of a project to its users. */
export interface AssignableProject {
  /** Whether there is such a project. */
  readonly exists: boolean
  /** Whether the organization owns the project, or has a grant of it. */
  readonly isGranted: boolean
  /** The roles in question that the organization can give, in their current generation, by their keys. */
  readonly roles: ReadonlyMap<RoleKey, RoleGeneration>
  /** Those of `given` that are still in the generation in which they were given. */
  readonly current: <Role extends RoleGeneration>(
    given: readonly Role[],
  ) => Promise<readonly Role[]>
}

/** Reads what the organization of the call can give of a project; of its roles, those with `roleKeys`. */
export const readAssignable = async (
  streams: Streams,
  owned: OwnedProject,
  roleKeys: readonly RoleKey[],
): Promise<AssignableProject> => {
  const { projectOrgId, projectId } = owned
  const isOwn = projectOrgId === streams.orgId
  const ids = { projectId, grantedOrgId: streams.orgId }
  const [project, grant, since] = await Promise.all([
    streams.read(projects, { id: projectId }, { orgId: projectOrgId }),
    isOwn ? undefined : streams.read(projectGrants, ids, { orgId: projectOrgId }),
    readGenerations(streams, owned, roleKeys),
  ])
  const granted = new Map<string, ProjectGrantLife>(
    grant && exists(grant.state) ? grant.state.roles.map((role) => [role.roleKey, role]) : [],
  )
  const roles = new Map<RoleKey, RoleGeneration>()
  for (const [roleKey, roleSince] of since) {
    const inGrant = granted.get(roleKey)
    if (isOwn) roles.set(roleKey, { roleKey, roleSince })
    // A role that was added again is not the one that the organization was granted.
    else if (inGrant?.roleSince === roleSince)
      roles.set(roleKey, { roleKey, roleSince, grantSince: inGrant.since })
  }
  return {
    exists: exists(project.state),
    isGranted: isOwn || (grant !== undefined && exists(grant.state)),
    roles,
    // A grant of the project that has had a role since the same event has it in the same generation.
    current: (given) =>
      currentRoles(
        streams,
        owned,
        given.filter((role) => isOwn || granted.get(role.roleKey)?.since === role.grantSince),
      ),
  }
}

/** Reads when the current generations of roles of a project began; roles that do not exist are left out. */
export const readGenerations = async (
  streams: Streams,
  { projectOrgId, projectId }: OwnedProject,
  roleKeys: readonly RoleKey[],
): Promise<ReadonlyMap<RoleKey, number>> => {
  const since = new Map<RoleKey, number>()
  const read = await Promise.all(
    roleKeys.map((roleKey) =>
      streams.read(projectRoles, { projectId, roleKey }, { orgId: projectOrgId }),
    ),
  )
  for (const [index, roleKey] of roleKeys.entries()) {
    const role = read[index]
    if (role && exists(role.state)) since.set(roleKey, role.since)
  }
  return since
}

/**
 * Those of `given` that are in the current generation of their role. A generation that has ended never comes back, so
 * an ended role guards no append, and does not count among its writes.
 */
export const currentRoles = async <Role extends Pick<RoleGeneration, 'roleKey' | 'roleSince'>>(
  streams: Streams,
  { projectOrgId: orgId, projectId }: OwnedProject,
  given: readonly Role[],
): Promise<readonly Role[]> => {
  const isCurrent = await Promise.all(
    given.map(async ({ roleKey, roleSince }) => {
      const ids = { projectId, roleKey }
      const seen = await streams.read(projectRoles, ids, { orgId, guard: false })
      const isInIt = exists(seen.state) && seen.since === roleSince
      // A state from before the generation began says nothing about its end, and has to be guarded too.
      if (isInIt || seen.version < roleSince) await streams.read(projectRoles, ids, { orgId })
      return isInIt
    }),
  )
  return given.filter((_, index) => isCurrent[index])
}
