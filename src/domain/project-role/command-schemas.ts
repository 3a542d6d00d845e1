import * as z from 'zod/mini'
import { command, type Patch } from '../message.js'
import { ProjectId, RoleKey, RolePermissions, requiredText, text } from '../values.js'
import type { ProjectRoleAdded } from './events.js'

/** Reads an empty list as absent, so that a repeat under the same idempotency key may use either. */
const permissionsOrNone = z.optional(
  z.pipe(
    RolePermissions,
    z.transform((permissions) => (permissions.length > 0 ? permissions : undefined)),
  ),
)

const role = {
  projectId: ProjectId,
  roleKey: RoleKey,
  displayName: requiredText,
  group: z._default(text, ''),
  permissions: permissionsOrNone,
}

/** The fields of a role in a command; absent permissions mean none. */
type RoleFields = Omit<ProjectRoleAdded['data'], 'permissions'> &
  Patch<Pick<ProjectRoleAdded['data'], 'permissions'>>

/** Adds a role to a project. */
export const AddProjectRole = command('AddProjectRole', role)
export interface AddProjectRole extends z.infer<typeof AddProjectRole> {
  /** The new role. */
  readonly data: RoleFields
}

/** Replaces display name, group and permissions of a role; its key never changes. */
export const UpdateProjectRole = command('UpdateProjectRole', role)
export interface UpdateProjectRole extends z.infer<typeof UpdateProjectRole> {
  /** The role, and its new values. */
  readonly data: RoleFields
}

/** Replaces the given fields and keeps the others. */
export const PatchProjectRole = command('PatchProjectRole', {
  projectId: ProjectId,
  roleKey: RoleKey,
  displayName: z.optional(requiredText),
  group: z.optional(text),
  permissions: z.optional(RolePermissions),
})
export interface PatchProjectRole extends z.infer<typeof PatchProjectRole> {
  /** The role, and its new values; an undefined one counts as absent. */
  readonly data: Pick<ProjectRoleAdded['data'], 'projectId' | 'roleKey'> &
    Patch<Pick<ProjectRoleAdded['data'], 'displayName' | 'group' | 'permissions'>>
}

/** Removes a role. Its key can be added again as a new role. */
export const RemoveProjectRole = command('RemoveProjectRole', {
  projectId: ProjectId,
  roleKey: RoleKey,
})
export interface RemoveProjectRole extends z.infer<typeof RemoveProjectRole> {
  /** The role. */
  readonly data: Pick<ProjectRoleAdded['data'], 'projectId' | 'roleKey'>
}

/** Any command of a role. */
export const ProjectRoleCommand = z.discriminatedUnion('type', [
  AddProjectRole,
  UpdateProjectRole,
  PatchProjectRole,
  RemoveProjectRole,
])
export type ProjectRoleCommand =
  | AddProjectRole
  | UpdateProjectRole
  | PatchProjectRole
  | RemoveProjectRole

// Field by field: some editors show no documentation of fields that are picked or mapped from another type.

/** Fields of a role that may be absent. */
export interface ProjectRoleFieldsInput {
  /**
   * For display only, such as to give a user all roles of a group, see `rolesOfGroup`: at most 200 characters (code
   * points). Absent: empty for a new role, else unchanged.
   */
  readonly group?: string | undefined
  /**
   * Permissions of the role, named by your code, such as `invoice.approve`: at most 200 names without duplicates, each
   * of 1 to 100 ASCII letters, digits or any of `. _ : / -`, starting with a letter or digit. No wildcards. Absent:
   * none for a new role, else unchanged.
   */
  readonly permissions?: readonly string[] | undefined
}
