// Storage contract: names and shapes below are persisted for ever. Add to them; never change one.
import * as z from 'zod/mini'
import { event, type Upcasters } from '../message.js'
import { ProjectId, RoleKey, type StreamId } from '../values.js'

/** One stream per key, so that two roles with one key cannot both be the first event of it. */
export const projectRoleStream = (orgId: string, projectId: string, roleKey: string): StreamId =>
  `project_role-${orgId}+${projectId}+${roleKey}`

const role = {
  projectId: ProjectId,
  roleKey: RoleKey,
  displayName: z.string(),
  group: z.string(),
}

/** A role came to be. */
export const ProjectRoleAdded = event('project_role.added', role)
export interface ProjectRoleAdded extends z.infer<typeof ProjectRoleAdded> {
  /** As it is from now on. */
  readonly data: {
    /** The `id` of the project. Spec: Project role. */
    readonly projectId: ProjectId
    /** What authorization checks look at; unique within the project. Spec: Project role. */
    readonly roleKey: RoleKey
    /** 1 to 200 characters (code points). Spec: Project role. */
    readonly displayName: string
    /**
     * For display only, such as to give a user all roles of a group, see `rolesOfGroup`: at most 200
     * characters (code points); empty for none. Spec: Project role.
     */
    readonly group: string
  }
}

/** What a role shows was replaced. */
export const ProjectRoleUpdated = event('project_role.updated', role)
export interface ProjectRoleUpdated extends z.infer<typeof ProjectRoleUpdated> {
  /** As it is from now on. */
  readonly data: ProjectRoleAdded['data']
}

/** A role ceased to be; its key is free again. */
export const ProjectRoleRemoved = event('project_role.removed', {
  projectId: ProjectId,
  roleKey: RoleKey,
})
export interface ProjectRoleRemoved extends z.infer<typeof ProjectRoleRemoved> {
  /** Which role. */
  readonly data: Pick<ProjectRoleAdded['data'], 'projectId' | 'roleKey'>
}

/** Any event of a role's stream. */
export const ProjectRoleEvent = z.discriminatedUnion('type', [
  ProjectRoleAdded,
  ProjectRoleUpdated,
  ProjectRoleRemoved,
])
export type ProjectRoleEvent = ProjectRoleAdded | ProjectRoleUpdated | ProjectRoleRemoved

/** Every shape is still the first one. */
export const projectRoleUpcasters: Upcasters = {}
