import * as z from 'zod/mini'
import { command } from '../message.js'
import { ProjectId, RoleKey, requiredText, text } from '../values.js'

const role = {
  projectId: ProjectId,
  roleKey: RoleKey,
  displayName: requiredText,
  /** For display only: lets a caller grant all roles of a group. */
  group: z._default(text, ''),
}

/** Adds a role to a project. Spec: Endpoints §4. */
export const AddProjectRole = command('AddProjectRole', role)
export interface AddProjectRole extends z.infer<typeof AddProjectRole> {}

/** Replaces what a role shows; its key never changes. */
export const UpdateProjectRole = command('UpdateProjectRole', role)
export interface UpdateProjectRole extends z.infer<typeof UpdateProjectRole> {}

/** Removes a role; its key may be added again, as a new role. */
export const RemoveProjectRole = command('RemoveProjectRole', {
  projectId: ProjectId,
  roleKey: RoleKey,
})
export interface RemoveProjectRole extends z.infer<typeof RemoveProjectRole> {}

/** Any command of a role. */
export const ProjectRoleCommand = z.discriminatedUnion('type', [
  AddProjectRole,
  UpdateProjectRole,
  RemoveProjectRole,
])
export type ProjectRoleCommand = AddProjectRole | UpdateProjectRole | RemoveProjectRole
