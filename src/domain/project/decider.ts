import { err, ok, type Result } from 'neverthrow'
import type { AlreadyExists, NotFound } from '../decider.js'
import { type Decider, exists } from '../decider.js'
import { changesNothing, patched } from '../message.js'
import type { ProjectRef } from '../values.js'
import type {
  AddProject,
  DeactivateProject,
  PatchProject,
  ProjectCommand,
  ReactivateProject,
  RemoveProject,
  UpdateProject,
} from './commands.js'
import { type ProjectAdded, ProjectEvent, projectUpcasters } from './events.js'

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
  upcasters: projectUpcasters,
  initialState: { status: 'absent' },
  decide,
  evolve,
}
