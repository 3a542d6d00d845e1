import { exists } from '../../domain/decider.js'
import { projects } from '../../domain/project/aggregate.js'
import { projectGrants } from '../../domain/project-grant/aggregate.js'
import type { ProjectGrantLife } from '../../domain/project-grant/decider.js'
import { projectRoles } from '../../domain/project-role/aggregate.js'
import type { UserGrantRole } from '../../domain/user-grant/events.js'
import type { OrgId, ProjectId, RoleKey } from '../../domain/values.js'
import type { AnySnapshot } from '../recording/snapshot.js'
import type { View } from '../recording/view.js'

/** A project, and the organization that owns it. */
export interface OwnedProject {
  readonly projectOrgId: OrgId
  readonly projectId: ProjectId
}

/** The present life of a role, as the grant of a user records it. */
export type Life = Pick<UserGrantRole, 'roleKey' | 'roleSince' | 'grantSince'>

/** What the organization of a decision can give of a project. */
export interface Lives {
  /** Whether there is such a project. */
  readonly exists: boolean
  /** Whether the organization owns the project, or has a grant of it. */
  readonly isGranted: boolean
  /** The present life of a role; undefined when the organization cannot give it. */
  readonly lifeOf: (roleKey: RoleKey) => Life | undefined
  /** Whether a role that was given is still in the life in which it was given. */
  readonly isLiving: (role: Life) => boolean
}

/** What the organization of `view` can give of a project to its users. */
export const livesIn = (view: View, { projectOrgId, projectId }: OwnedProject): Lives => {
  const project = view.read(projects, { id: projectId }, projectOrgId)
  const roleSince = roleLives(view, { projectOrgId, projectId })
  const isInLife = roleIsInLife(view, { projectOrgId, projectId })
  const isOwn = projectOrgId === view.orgId
  const ids = { projectId, grantedOrgId: view.orgId }
  const grant = isOwn ? undefined : view.read(projectGrants, ids, projectOrgId).state
  const granted = new Map<string, ProjectGrantLife>(
    grant && exists(grant) ? grant.roles.map((role) => [role.roleKey, role]) : [],
  )
  const lifeOf = (roleKey: RoleKey): Life | undefined => {
    const since = roleSince(roleKey)
    if (since === undefined) return undefined
    if (isOwn) return { roleKey, roleSince: since }
    const inGrant = granted.get(roleKey)
    // A role that was added again is not the one that the organization was granted.
    if (inGrant?.roleSince !== since) return undefined
    return { roleKey, roleSince: since, grantSince: inGrant.since }
  }
  return {
    exists: exists(project.state),
    isGranted: isOwn || (grant !== undefined && exists(grant)),
    lifeOf,
    isLiving: (role) =>
      // A grant of the project that has had a role since the same event has it in the same life.
      (isOwn || granted.get(role.roleKey)?.since === role.grantSince) && isInLife(role),
  }
}

/** Reads when the present life of a role of a project began; undefined when there is no such role. */
export const roleLives =
  (view: View, { projectOrgId, projectId }: OwnedProject) =>
  (roleKey: RoleKey): number | undefined =>
    sinceOf(view.read(projectRoles, { projectId, roleKey }, projectOrgId))

/**
 * Reads whether a role is in the life that a grant recorded. A life that is over never comes back, so no append needs
 * to be guarded by it: the roles of a grant that died do not count among the writes of an append.
 */
export const roleIsInLife =
  (view: View, { projectOrgId, projectId }: OwnedProject) =>
  ({ roleKey, roleSince }: Pick<Life, 'roleKey' | 'roleSince'>): boolean => {
    const ids = { projectId, roleKey }
    const seen = view.lastSeen(projectRoles, ids, projectOrgId)
    // What was seen before that life began says nothing about its end.
    const isOver = seen.version >= roleSince && sinceOf(seen) !== roleSince
    return !isOver && sinceOf(view.read(projectRoles, ids, projectOrgId)) === roleSince
  }

const sinceOf = ({ state, since }: AnySnapshot): number | undefined =>
  exists(state) ? since : undefined
