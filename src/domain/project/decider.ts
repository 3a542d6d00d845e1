import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { type AlreadyExists, type Decider, exists, type NotFound } from '../decider.js'
import { changesNothing, command, type Patch, patched } from '../message.js'
import { choice, flag, ProjectId, type ProjectRef, requiredText } from '../values.js'
import { type ProjectAdded, ProjectEvent } from './events.js'

/** The branding that the login of a project shows. */
export const PrivateLabelingSetting = choice([
  'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
  'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
])
export type PrivateLabelingSetting = z.infer<typeof PrivateLabelingSetting>

const id = { id: ProjectId }

const fields = {
  ...id,
  name: requiredText,
  projectRoleAssertion: flag,
  projectRoleCheck: flag,
  hasProjectCheck: flag,
  privateLabelingSetting: z._default(
    PrivateLabelingSetting,
    'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  ),
}

/** Adds a project. */
export const AddProject = command('AddProject', fields)
export interface AddProject extends z.infer<typeof AddProject> {
  /** The new project. */
  readonly data: ProjectAdded['data']
}

/** Replaces name and settings; an absent setting gets its default. */
export const UpdateProject = command('UpdateProject', fields)
export interface UpdateProject extends z.infer<typeof UpdateProject> {
  /** The project, and its new values. */
  readonly data: ProjectAdded['data']
}

/** Replaces the given fields and keeps the others. */
export const PatchProject = command('PatchProject', {
  ...id,
  name: z.optional(fields.name),
  projectRoleAssertion: z.optional(flag.def.innerType),
  projectRoleCheck: z.optional(flag.def.innerType),
  hasProjectCheck: z.optional(flag.def.innerType),
  privateLabelingSetting: z.optional(PrivateLabelingSetting),
})
export interface PatchProject extends z.infer<typeof PatchProject> {
  /** The project, and its new values; an undefined one counts as absent. */
  readonly data: Pick<ProjectAdded['data'], 'id'> & Patch<ProjectAdded['data']>
}

/** Deactivates a project: users cannot log in, but nothing is lost. */
export const DeactivateProject = command('DeactivateProject', id)
export interface DeactivateProject extends z.infer<typeof DeactivateProject> {
  /** The project. */
  readonly data: Pick<ProjectAdded['data'], 'id'>
}

/** Reactivates a project: users can log in again. */
export const ReactivateProject = command('ReactivateProject', id)
export interface ReactivateProject extends z.infer<typeof ReactivateProject> {
  /** The project. */
  readonly data: Pick<ProjectAdded['data'], 'id'>
}

/** Removes a project and its roles. Its id cannot be used again. */
export const RemoveProject = command('RemoveProject', id)
export interface RemoveProject extends z.infer<typeof RemoveProject> {
  /** The project. */
  readonly data: Pick<ProjectAdded['data'], 'id'>
}

/** Any command of a project. */
export const ProjectCommand = z.discriminatedUnion('type', [
  AddProject,
  UpdateProject,
  PatchProject,
  DeactivateProject,
  ReactivateProject,
  RemoveProject,
])
export type ProjectCommand =
  | AddProject
  | UpdateProject
  | PatchProject
  | DeactivateProject
  | ReactivateProject
  | RemoveProject

// Field by field: some editors show no documentation of fields that are picked or mapped from another type.

/** Settings of a project that may be absent. */
export interface ProjectSettingsInput {
  /**
   * Role information is included in the user info endpoint, see `roleClaims`. Absent: false for a new project, else
   * unchanged.
   */
  readonly projectRoleAssertion?: boolean | undefined
  /**
   * At login, the user must have a role of this project, see `checkLogin`. Absent: false for a new project, else
   * unchanged.
   */
  readonly projectRoleCheck?: boolean | undefined
  /**
   * At login, the user's organization must own the project or have a grant to it, see `checkLogin`. Absent: false for a
   * new project, else unchanged.
   */
  readonly hasProjectCheck?: boolean | undefined
  /**
   * The branding that the login shows, see `brandingOrganization`. Absent: `PRIVATE_LABELING_SETTING_UNSPECIFIED`, the
   * host's own, for a new project, else unchanged.
   */
  readonly privateLabelingSetting?: PrivateLabelingSetting | undefined
}

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
