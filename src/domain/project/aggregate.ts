import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  exists,
  filterableText,
  type Protectable,
  sortableFlag,
  sortableText,
  type ViewOf,
} from '../aggregate.js'
import type { AlreadyExists, Decider, NotFound } from '../decider.js'
import { changesNothing, patched } from '../message.js'
import { ProjectId, type ProjectRef, type StreamId } from '../values.js'
import type {
  AddProject,
  DeactivateProject,
  PatchProject,
  PrivateLabelingSetting,
  ProjectCommand,
  ReactivateProject,
  RemoveProject,
  UpdateProject,
} from './command-schemas.js'
import { type ProjectAdded, ProjectEvent } from './events.js'

/** The state of a project, on which its commands are decided. */
export type ProjectState =
  | { readonly status: 'absent' }
  | ({
      /** Whether users may log in. */
      readonly status: 'active' | 'inactive'
    } & ProjectAdded['data'])
  | { readonly status: 'removed' }

/** Errors of a project's commands. */
export type ProjectRefusal = NotFound<ProjectRef> | AlreadyExists<ProjectRef>

type Decision = Result<readonly ProjectEvent[], ProjectRefusal>

const refuse = (kind: ProjectRefusal['kind'], { id }: ProjectCommand['data']): Decision =>
  err({ kind, object: { type: 'project', id } })

const add = ({ data }: AddProject, state: ProjectState): Decision => {
  if (state.status !== 'absent') return refuse('AlreadyExists', data)
  return ok([{ type: 'project.added', data }])
}

/** Replaces the given fields; an update gives all of them. */
const update = ({ data }: UpdateProject | PatchProject, state: ProjectState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  const { status: _, ...before } = state
  const updated = patched(before, data)
  return ok(changesNothing(before, updated) ? [] : [{ type: 'project.updated', data: updated }])
}

const deactivate = ({ data }: DeactivateProject, state: ProjectState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok(state.status === 'inactive' ? [] : [{ type: 'project.deactivated', data }])
}

const reactivate = ({ data }: ReactivateProject, state: ProjectState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok(state.status === 'active' ? [] : [{ type: 'project.reactivated', data }])
}

const remove = ({ data }: RemoveProject, state: ProjectState): Decision => {
  if (!exists(state)) return refuse('NotFound', data)
  return ok([{ type: 'project.removed', data }])
}

const decide = (command: ProjectCommand, state: ProjectState): Decision => {
  switch (command.type) {
    case 'AddProject':
      return add(command, state)
    case 'UpdateProject':
    case 'PatchProject':
      return update(command, state)
    case 'DeactivateProject':
      return deactivate(command, state)
    case 'ReactivateProject':
      return reactivate(command, state)
    case 'RemoveProject':
      return remove(command, state)
  }
}

const evolve = (state: ProjectState, event: ProjectEvent): ProjectState => {
  switch (event.type) {
    case 'project.added':
      return { status: 'active', ...event.data }
    case 'project.updated':
      return exists(state) ? { ...event.data, status: state.status } : state
    case 'project.deactivated':
      return exists(state) ? { ...state, status: 'inactive' } : state
    case 'project.reactivated':
      return exists(state) ? { ...state, status: 'active' } : state
    case 'project.removed':
      return { status: 'removed' }
  }
}

/** A container of applications that share the same roles. */
export const project: Decider<ProjectCommand, ProjectState, ProjectEvent, ProjectRefusal> = {
  eventSchema: ProjectEvent,
  upcasters: {},
  initialState: { status: 'absent' },
  decide,
  evolve,
}

// Field by field: some editors show no documentation of fields that are picked or mapped from another type.

/** Name and settings of a project, all of them. */
export interface ProjectSettings {
  /** 1 to 200 characters (code points); several projects may have the same. */
  readonly name: string
  /** Role information is included in the user info endpoint, see `roleClaims`. */
  readonly projectRoleAssertion: boolean
  /** At login, the user must have a role of this project, see `checkLogin`. */
  readonly projectRoleCheck: boolean
  /**
   * At login, the user's organization must own the project or have a grant to it, see `checkLogin`.
   */
  readonly hasProjectCheck: boolean
  /** The branding that the login shows, see `brandingOrganization`. */
  readonly privateLabelingSetting: PrivateLabelingSetting
}

/** A project as reads return it. */
export interface Project extends ProjectSettings, Protectable {
  /** Unique within the organization. */
  readonly id: string
  /** Users cannot log in to an inactive project, see `checkLogin`. */
  readonly state: 'active' | 'inactive'
}

/** The fields of {@link Project} that its own events set. */
export type ProjectView = ViewOf<Project>

/** Projects. */
export const projects = defineAggregate({
  type: 'project',
  label: 'project',
  ids: z.strictObject({ id: ProjectId }),
  decider: project,
  events: ProjectEvent.def.options,
  adds: 'project.added',
  removes: 'project.removed',
  show: (state): ProjectView => ({
    id: state.id,
    name: state.name,
    projectRoleAssertion: state.projectRoleAssertion,
    projectRoleCheck: state.projectRoleCheck,
    hasProjectCheck: state.hasProjectCheck,
    privateLabelingSetting: state.privateLabelingSetting,
    state: state.status,
  }),
  fact: ({ status }, { id }, orgId) => ({
    in: 'project',
    projectOrgId: orgId,
    projectId: id,
    state: status,
  }),
  states: ['active', 'inactive'],
  fields: {
    id: filterableText,
    name: filterableText,
    projectRoleAssertion: sortableFlag,
    projectRoleCheck: sortableFlag,
    hasProjectCheck: sortableFlag,
    privateLabelingSetting: sortableText,
  },
  target: ({ id }) => ({ type: 'project', id }),
  permissions: { read: 'project.read', write: 'project.write' },
} satisfies AggregateDefinition<ProjectRef, ProjectView, ProjectEvent, ProjectState>)

/** One stream per project. */
export const projectStream = (orgId: string, id: string): StreamId => projects.stream(orgId, { id })
