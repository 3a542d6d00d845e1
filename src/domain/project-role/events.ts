// Storage contract: names and shapes below are persisted for ever. Add to them; never change one.
import * as z from 'zod/mini'
import { event, type MessageOf, type Upcasters } from '../message.js'
import { ProjectId, RoleKey, type StreamId } from '../values.js'
import type { ProjectRoleData, ProjectRoleKey } from './commands.js'

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
export interface ProjectRoleAdded extends MessageOf<'project_role.added', ProjectRoleData> {}

/** What a role shows was replaced. */
export const ProjectRoleUpdated = event('project_role.updated', role)
export interface ProjectRoleUpdated extends MessageOf<'project_role.updated', ProjectRoleData> {}

/** A role ceased to be; its key is free again. */
export const ProjectRoleRemoved = event('project_role.removed', {
  projectId: ProjectId,
  roleKey: RoleKey,
})
export interface ProjectRoleRemoved extends MessageOf<'project_role.removed', ProjectRoleKey> {}

/** Any event of a role's stream. */
export const ProjectRoleEvent = z.discriminatedUnion('type', [
  ProjectRoleAdded,
  ProjectRoleUpdated,
  ProjectRoleRemoved,
])
export type ProjectRoleEvent = ProjectRoleAdded | ProjectRoleUpdated | ProjectRoleRemoved

/** Every shape is still the first one. */
export const projectRoleUpcasters: Upcasters = {}
