import type { OfProject } from '../../domain/facts.js'
import { projects } from '../../domain/project/aggregate.js'
import { projectGrants } from '../../domain/project-grant/aggregate.js'
import { projectRoles } from '../../domain/project-role/aggregate.js'
import {
  type AssignableProject,
  isCurrent,
  isStillGranted,
  type RoleGeneration,
} from '../../domain/role-generations.js'
import type { OrgId, ProjectId, RoleKey } from '../../domain/values.js'
import type { Streams } from '../recording/streams.js'

/** A project, and the organization that owns it. */
export interface OwnedProject {
  readonly projectOrgId: OrgId
  readonly projectId: ProjectId
}

/** Reads a project whose roles the organization of the call gives to its users, with the roles in `roleKeys`. */
export const readProject = async (
  streams: Streams,
  { projectOrgId, projectId }: OfProject,
  roleKeys: readonly RoleKey[],
): Promise<AssignableProject> => {
  const orgId = projectOrgId
  const ids = { projectId, grantedOrgId: streams.orgId }
  const [project, grant, ...roles] = await Promise.all([
    streams.read(projects, { id: projectId }, { orgId }),
    orgId === streams.orgId ? undefined : streams.read(projectGrants, ids, { orgId }),
    ...roleKeys.map((roleKey) => streams.read(projectRoles, { projectId, roleKey }, { orgId })),
  ])
  const states = new Map(roleKeys.map((roleKey, index) => [roleKey, roles[index]?.state]))
  return {
    projectId,
    project: project.state,
    projectGrant: grant?.state,
    roleState: (roleKey) => {
      const state = states.get(roleKey)
      if (!state) throw new Error(`The role ${roleKey} was not read`)
      return state
    },
  }
}

/** The `roles` of a user that are still current and that the organization may still give. */
export const currentRolesOfUser = <Role extends RoleGeneration>(
  streams: Streams,
  owned: OfProject,
  { projectGrant }: Pick<AssignableProject, 'projectGrant'>,
  roles: readonly Role[],
): Promise<readonly Role[]> =>
  currentRoles(
    streams,
    owned,
    roles.filter((role) => isStillGranted(role, projectGrant)),
  )

/**
 * The given `roles` that are of the current generation of their role. An ended role guards the append as well, because
 * a failover may have lost its removal.
 */
export const currentRoles = async <Role extends Pick<RoleGeneration, 'roleKey' | 'roleSince'>>(
  streams: Streams,
  { projectOrgId: orgId, projectId }: OfProject,
  roles: readonly Role[],
): Promise<readonly Role[]> => {
  const areCurrent = await Promise.all(
    roles.map(async (role) => {
      const ids = { projectId, roleKey: role.roleKey }
      return isCurrent(role, (await streams.read(projectRoles, ids, { orgId })).state)
    }),
  )
  return roles.filter((_, index) => areCurrent[index])
}
