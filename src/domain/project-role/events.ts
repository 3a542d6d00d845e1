// Storage contract: names and shapes below are persisted forever. Add to them; never change one.
import * as z from 'zod/mini'
import { event } from '../message.js'
import { ProjectId, RoleKey } from '../values.js'

const role = {
  projectId: ProjectId,
  roleKey: RoleKey,
  displayName: z.string(),
  group: z.string(),
  permissions: z.readonly(z.array(z.string())),
}

/** A role was added. */
export const ProjectRoleAdded = event('project_role.added', role)
export interface ProjectRoleAdded extends z.infer<typeof ProjectRoleAdded> {
  /** The new values. */
  readonly data: {
    /** As `ProjectRole.projectId`. */
    readonly projectId: ProjectId
    /** As `ProjectRole.roleKey`. */
    readonly roleKey: RoleKey
    /** As `ProjectRole.displayName`. */
    readonly displayName: string
    /** As `ProjectRole.group`. */
    readonly group: string
    /** As `ProjectRole.permissions`. */
    readonly permissions: readonly string[]
  }
}

/** Display name, group and permissions of a role were replaced. */
export const ProjectRoleUpdated = event('project_role.updated', role)
export interface ProjectRoleUpdated extends z.infer<typeof ProjectRoleUpdated> {
  /** The new values. */
  readonly data: ProjectRoleAdded['data']
}

/** A role was removed; its key can be used again. */
export const ProjectRoleRemoved = event('project_role.removed', {
  projectId: ProjectId,
  roleKey: RoleKey,
})
export interface ProjectRoleRemoved extends z.infer<typeof ProjectRoleRemoved> {
  /** The role. */
  readonly data: Pick<ProjectRoleAdded['data'], 'projectId' | 'roleKey'>
}

/** Any event of a role's stream. */
export const ProjectRoleEvent = z.discriminatedUnion('type', [
  ProjectRoleAdded,
  ProjectRoleUpdated,
  ProjectRoleRemoved,
])
export type ProjectRoleEvent = ProjectRoleAdded | ProjectRoleUpdated | ProjectRoleRemoved
