import { err, ok, type Result } from 'neverthrow'
import type { AlreadyExists, Decider, NotFound } from '../decider.js'
import { changesNothing, patched } from '../message.js'
import type { ProjectRoleRef } from '../values.js'
import type {
  AddProjectRole,
  PatchProjectRole,
  ProjectRoleCommand,
  RemoveProjectRole,
  UpdateProjectRole,
} from './commands.js'
import {
  type ProjectRoleAdded,
  ProjectRoleEvent,
  type ProjectRoleUpdated,
  projectRoleUpcasters,
} from './events.js'

/** The state of a role, on which its commands are decided. */
export type ProjectRoleState =
  | { readonly status: 'absent' }
  | ({
      readonly status: 'active'
      /** Version of the event that began the current generation of the role: removing the role ends it. */
      readonly since: number
    } & ProjectRoleFields)

/** The fields of a role besides its ids. */
export type ProjectRoleFields = Pick<
  ProjectRoleAdded['data'],
  'displayName' | 'group' | 'permissions'
>

/** Errors of a role's commands. */
export type ProjectRoleRefusal = NotFound<ProjectRoleRef> | AlreadyExists<ProjectRoleRef>

type Decision = Result<readonly ProjectRoleEvent[], ProjectRoleRefusal>

const refuse = (
  kind: ProjectRoleRefusal['kind'],
  { projectId, roleKey }: ProjectRoleCommand['data'],
): Decision => err({ kind, object: { type: 'project_role', projectId, roleKey } })

/** The fields that a command gives a role. Absent permissions mean none; they are recorded sorted by code point. */
export const fieldsOf = ({
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
  upcasters: projectRoleUpcasters,
  initialState: { status: 'absent' },
  decide,
  evolve,
}
