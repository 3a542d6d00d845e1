import {
  type GivenProject,
  hasEnded,
  isCurrent,
  isStillGranted,
  type RoleGeneration,
} from '../../domain/generations.js'
import { projects } from '../../domain/project/aggregate.js'
import { projectGrants } from '../../domain/project-grant/aggregate.js'
import { projectRoles } from '../../domain/project-role/aggregate.js'
import type { OrgId, ProjectId } from '../../domain/values.js'
import type { View } from '../recording/view.js'

/** A project, and the organization that owns it. */
export interface OwnedProject {
  readonly projectOrgId: OrgId
  readonly projectId: ProjectId
}

/** A project of which the organization of a decision gives roles, and whether those it gave are current. */
export interface FoundProject extends GivenProject {
  readonly isCurrent: (role: RoleGeneration) => boolean
}

/** Reads what the organization of `view` can give of a project to its users. */
export const readProject = (
  view: View,
  { projectOrgId, projectId }: OwnedProject,
): FoundProject => {
  const project = view.read(projects, { id: projectId }, projectOrgId).state
  const ids = { projectId, grantedOrgId: view.orgId }
  const projectGrant =
    projectOrgId === view.orgId ? undefined : view.read(projectGrants, ids, projectOrgId).state
  const isInGeneration = readIsCurrent(view, { projectOrgId, projectId })
  return {
    projectId,
    project,
    projectGrant,
    roleState: (roleKey) => view.read(projectRoles, { projectId, roleKey }, projectOrgId).state,
    isCurrent: (role) => isStillGranted(role, projectGrant) && isInGeneration(role),
  }
}

/**
 * Reads whether a role is in the generation that a grant recorded. A generation that has ended never comes back, so no
 * append needs to be guarded by it: the roles of a grant that ended do not count among the writes of an append.
 */
export const readIsCurrent =
  (view: View, { projectOrgId, projectId }: OwnedProject) =>
  (role: Pick<RoleGeneration, 'roleKey' | 'roleSince'>): boolean => {
    const ids = { projectId, roleKey: role.roleKey }
    if (hasEnded(role, view.lastSeen(projectRoles, ids, projectOrgId))) return false
    return isCurrent(role, view.read(projectRoles, ids, projectOrgId).state)
  }
