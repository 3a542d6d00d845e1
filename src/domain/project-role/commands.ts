import * as z from 'zod/mini'
import { command, type MessageOf } from '../message.js'
import { ProjectId, RoleKey, requiredText, text } from '../values.js'

/** Which role of which project. */
export interface ProjectRoleKey {
  /** The `id` of the project. Spec: Project role. */
  readonly projectId: ProjectId
  /** What authorization checks look at; unique within the project. Spec: Project role. */
  readonly roleKey: RoleKey
}

/** What a role shows. Spec: Project role. */
export interface ProjectRoleFields {
  /** 1 to 200 characters (code points). Spec: Project role. */
  readonly displayName: string
  /**
   * For display only, such as to give a user all roles of a group, see `rolesOfGroup`: at most 200
   * characters (code points); empty for none. Spec: Project role.
   */
  readonly group: string
}

/** A role, as commands and events tell of it. */
export interface ProjectRoleData extends ProjectRoleKey, ProjectRoleFields {}

const role = {
  projectId: ProjectId,
  roleKey: RoleKey,
  displayName: requiredText,
  group: z._default(text, ''),
}

/** Adds a role to a project. Spec: Endpoints §4. */
export const AddProjectRole = command('AddProjectRole', role)
export interface AddProjectRole extends MessageOf<'AddProjectRole', ProjectRoleData> {}

/** Replaces what a role shows; its key never changes. */
export const UpdateProjectRole = command('UpdateProjectRole', role)
export interface UpdateProjectRole extends MessageOf<'UpdateProjectRole', ProjectRoleData> {}

/** Removes a role; its key may be added again, as a new role. */
export const RemoveProjectRole = command('RemoveProjectRole', {
  projectId: ProjectId,
  roleKey: RoleKey,
})
export interface RemoveProjectRole extends MessageOf<'RemoveProjectRole', ProjectRoleKey> {}

/** Any command of a role. */
export const ProjectRoleCommand = z.discriminatedUnion('type', [
  AddProjectRole,
  UpdateProjectRole,
  RemoveProjectRole,
])
export type ProjectRoleCommand = AddProjectRole | UpdateProjectRole | RemoveProjectRole
