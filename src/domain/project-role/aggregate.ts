import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  exists,
  filterableText,
  inProject,
  type Protectable,
  sortableText,
  type ViewOf,
} from '../aggregate.js'
import type { AlreadyExists, Decider, NotFound } from '../decider.js'
import { changesNothing, patched, type Upcasters } from '../message.js'
import { ProjectId, type ProjectRoleRef, RoleKey, type StreamId } from '../values.js'
import type {
  AddProjectRole,
  PatchProjectRole,
  ProjectRoleCommand,
  RemoveProjectRole,
  UpdateProjectRole,
} from './command-schemas.js'
import { type ProjectRoleAdded, ProjectRoleEvent, type ProjectRoleUpdated } from './events.js'

/** The state of a role, on which its commands are decided. */
export type ProjectRoleState =
  | { readonly status: 'absent' }
  | ({
      readonly status: 'active'
      /** Version of the event that began the current generation of the role: removing the role ends it. */
      readonly since: number
    } & ProjectRoleFields)

/** Whether a role that was given is still of the same generation. */
export const isCurrent = (
  { roleSince }: { readonly roleSince: number },
  state: ProjectRoleState,
): boolean => exists(state) && state.since === roleSince

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

// Field by field: some editors show no documentation of fields that are picked or mapped from another type.

/** Display name and group of a role. */
export interface ProjectRoleDisplay {
  /** 1 to 200 characters (code points). */
  readonly displayName: string
  /**
   * For display only, such as to give a user all roles of a group, see `rolesOfGroup`: at most 200 characters (code
   * points); empty without a group.
   */
  readonly group: string
}

/** A role as reads return it. */
export interface ProjectRole extends ProjectRoleDisplay, Protectable {
  /** The `id` of its project. */
  readonly projectId: string
  /** The key that authorization checks use; unique within the project. */
  readonly roleKey: string
  /** The role's permissions, sorted by code point; may be empty. */
  readonly permissions: readonly string[]
  /** Always active: reads do not return removed roles. */
  readonly state: 'active'
}

/** The fields of {@link ProjectRole} that its own events set. */
export type ProjectRoleView = ViewOf<ProjectRole>

/** A copy that no reader can change; the list of the event may be shared. */
const frozen = ({ permissions }: Pick<ProjectRoleFields, 'permissions'>): readonly string[] =>
  Object.freeze([...permissions])

/** Roles of projects. */
export const projectRoles = defineAggregate({
  type: 'project_role',
  label: 'role',
  ids: z.strictObject({ projectId: ProjectId, roleKey: RoleKey }),
  container: inProject,
  decider: projectRole,
  events: ProjectRoleEvent.def.options,
  adds: 'project_role.added',
  removes: 'project_role.removed',
  show: (state, { projectId, roleKey }): ProjectRoleView => ({
    projectId,
    roleKey,
    displayName: state.displayName,
    group: state.group,
    permissions: frozen(state),
    state: state.status,
  }),
  fact: ({ since, permissions }, { projectId, roleKey }, orgId) => ({
    in: 'role',
    projectOrgId: orgId,
    projectId,
    roleKey,
    since,
    permissions,
  }),
  within: ['project'],
  states: ['active'],
  fields: {
    projectId: sortableText,
    roleKey: filterableText,
    displayName: filterableText,
    group: filterableText,
    permissions: { holds: 'list', isOptional: true },
    permission: { holds: 'permissions', filterable: true },
  },
  writeTarget: ({ projectId, roleKey }) => ({ type: 'project_role', projectId, roleKey }),
  permissions: { read: 'project.role.read', write: 'project.role.write' },
} satisfies AggregateDefinition<
  ProjectRoleRef,
  ProjectRoleView,
  ProjectRoleEvent,
  ProjectRoleState
>)

/** One stream per key, so that two appends cannot both add the same role. */
export const projectRoleStream = (orgId: string, projectId: string, roleKey: string): StreamId =>
  projectRoles.stream(orgId, { projectId, roleKey })
