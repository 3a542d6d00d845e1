import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import type { AlreadyExists, Decider, NotFound } from '../decider.js'
import { changesNothing, command, type Patch, patched, type Upcasters } from '../message.js'
import {
  ProjectId,
  type ProjectRoleRef,
  RoleKey,
  RolePermissions,
  requiredText,
  text,
} from '../values.js'
import { type ProjectRoleAdded, ProjectRoleEvent, type ProjectRoleUpdated } from './events.js'

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
type GivenRole = Omit<ProjectRoleAdded['data'], 'permissions'> &
  Patch<Pick<ProjectRoleAdded['data'], 'permissions'>>

/** Adds a role to a project. */
export const AddProjectRole = command('AddProjectRole', role)
export interface AddProjectRole extends z.infer<typeof AddProjectRole> {
  /** The new role. */
  readonly data: GivenRole
}

/** Replaces display name, group and permissions of a role; its key never changes. */
export const UpdateProjectRole = command('UpdateProjectRole', role)
export interface UpdateProjectRole extends z.infer<typeof UpdateProjectRole> {
  /** The role, and its new values. */
  readonly data: GivenRole
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

/** The state of a role, on which its commands are decided. */
export type ProjectRoleState =
  | { readonly status: 'absent' }
  | ({
      readonly status: 'active'
      /** Version of the event that began the current generation of the role: removing the role ends it. */
      readonly since: number
    } & ProjectRoleFields)

/** The fields of a role besides its ids. */
type ProjectRoleFields = Pick<ProjectRoleAdded['data'], 'displayName' | 'group' | 'permissions'>

/** Errors of a role's commands. */
export type ProjectRoleRefusal = NotFound<ProjectRoleRef> | AlreadyExists<ProjectRoleRef>

type Decision = Result<readonly ProjectRoleEvent[], ProjectRoleRefusal>

const refuse = (
  kind: ProjectRoleRefusal['kind'],
  { projectId, roleKey }: ProjectRoleCommand['data'],
): Decision => err({ kind, object: { type: 'project_role', projectId, roleKey } })

/** The fields that a command gives a role. Absent permissions mean none; they are recorded sorted by code point. */
const fieldsOf = ({
  displayName,
  group,
  permissions = [],
}: Omit<AddProjectRole['data'], 'projectId' | 'roleKey'>): ProjectRoleFields => ({
  displayName,
  group,
  permissions: permissions.toSorted(),
})

const add = ({ data }: AddProjectRole, state: ProjectRoleState): Decision => {
  if (state.status === 'active') return refuse('AlreadyExists', data)
  const { projectId, roleKey } = data
  return ok([{ type: 'project_role.added', data: { projectId, roleKey, ...fieldsOf(data) } }])
}

/** Replaces the given fields; an update gives all of them. */
const update = (
  { type, data }: UpdateProjectRole | PatchProjectRole,
  state: ProjectRoleState,
): Decision => {
  if (state.status === 'absent') return refuse('NotFound', data)
  const fields = fieldsOf(
    type === 'UpdateProjectRole' ? data : patched<ProjectRoleFields>(state, data),
  )
  if (changesNothing(state, fields)) return ok([])
  const { projectId, roleKey } = data
  return ok([{ type: 'project_role.updated', data: { projectId, roleKey, ...fields } }])
}

const remove = ({ data }: RemoveProjectRole, state: ProjectRoleState): Decision => {
  if (state.status === 'absent') return refuse('NotFound', data)
  return ok([{ type: 'project_role.removed', data }])
}

const decide = (command: ProjectRoleCommand, state: ProjectRoleState): Decision => {
  switch (command.type) {
    case 'AddProjectRole':
      return add(command, state)
    case 'UpdateProjectRole':
    case 'PatchProjectRole':
      return update(command, state)
    case 'RemoveProjectRole':
      return remove(command, state)
  }
}

const evolve = (
  state: ProjectRoleState,
  event: ProjectRoleEvent,
  version: number,
): ProjectRoleState => {
  switch (event.type) {
    case 'project_role.added':
      return shown(event, state.status === 'active' ? state.since : version)
    case 'project_role.updated':
      return state.status === 'active' ? shown(event, state.since) : state
    case 'project_role.removed':
      return { status: 'absent' }
  }
}

const shown = (
  { data: { displayName, group, permissions } }: ProjectRoleAdded | ProjectRoleUpdated,
  since: number,
): ProjectRoleState => ({ status: 'active', since, displayName, group, permissions })

/** Roles of version 1 had no permissions. */
const withoutPermissions = (data: object): object => ({ ...data, permissions: [] })

/** Version 2 of the events that add or update a role has its permissions. */
const upcasters: Upcasters = {
  'project_role.added': [withoutPermissions],
  'project_role.updated': [withoutPermissions],
}

/**
 * A role of a project. Refuses a `roleKey` that the project has. Keys are unique even in a race, because the key is
 * part of the stream's name, see `projectRoleStream`.
 */
export const projectRole: Decider<
  ProjectRoleCommand,
  ProjectRoleState,
  ProjectRoleEvent,
  ProjectRoleRefusal
> = {
  eventSchema: ProjectRoleEvent,
  upcasters,
  initialState: { status: 'absent' },
  decide,
  evolve,
}
