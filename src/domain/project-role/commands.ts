import * as z from 'zod/mini'
import { command } from '../message.js'
import { ProjectId, RoleKey, requiredText, text } from '../values.js'
import type { ProjectRoleAdded } from './events.js'

const role = {
  projectId: ProjectId,
  roleKey: RoleKey,
  displayName: requiredText,
  group: z._default(text, ''),
}

/** Adds a role to a project. Spec: Endpoints §4. */
export const AddProjectRole = command('AddProjectRole', role)
export interface AddProjectRole extends z.infer<typeof AddProjectRole> {
  /** As it is to be. */
  readonly data: ProjectRoleAdded['data']
}

/** Replaces what a role shows; its key never changes. */
export const UpdateProjectRole = command('UpdateProjectRole', role)
export interface UpdateProjectRole extends z.infer<typeof UpdateProjectRole> {
  /** As it is to be. */
  readonly data: ProjectRoleAdded['data']
}

/** Removes a role; its key may be added again, as a new role. */
export const RemoveProjectRole = command('RemoveProjectRole', {
  projectId: ProjectId,
  roleKey: RoleKey,
})
export interface RemoveProjectRole extends z.infer<typeof RemoveProjectRole> {
  /** Which role. */
  readonly data: Pick<ProjectRoleAdded['data'], 'projectId' | 'roleKey'>
}

/** Any command of a role. */
export const ProjectRoleCommand = z.discriminatedUnion('type', [
  AddProjectRole,
  UpdateProjectRole,
  RemoveProjectRole,
])
export type ProjectRoleCommand = AddProjectRole | UpdateProjectRole | RemoveProjectRole
