import {
  DeactivateProject,
  PatchProject,
  ReactivateProject,
  RemoveProject,
  UpdateProject,
} from '../../domain/project/commands.js'
import { projects } from '../../domain/project/kind.js'
import type { PatchedProject, ProjectSettings } from '../../ports/fields.js'
import type { Project } from '../../ports/read-model.js'
import type { Read, Write } from '../method/method.js'
import { get } from '../reading/get.js'
import { list, type Page } from '../reading/list.js'
import { ListProjectsInput } from '../reading/list-input.js'
import type { Runtime } from '../runtime.js'
import { type AddProjectInput, addProject, type ProjectIds } from './add-project.js'
import { changeProject } from './change-project.js'
import { type CheckLoginInput, checkLoginOf } from './check-login.js'

/** A project, its name and all its settings; one that is left out would have its default afterwards. */
export interface UpdateProjectInput extends ProjectInput, ProjectSettings {}

/** A project, and those of its fields that are to change. */
export interface PatchProjectInput extends ProjectInput, PatchedProject {}

/** Names a project. */
export interface ProjectInput {
  /** Id of the project, as `add` answered or was given it. Spec: Project. */
  readonly id: string
}

/** Containers of applications that share the same roles. Spec: Project. */
export interface Projects {
  /** Adds a project. Refused: an own `id` that is or was taken in the organization. */
  readonly add: Write<AddProjectInput, ProjectIds>
  /** Replaces name and settings: an absent setting has its default afterwards. Spec: Endpoints §3. */
  readonly update: Write<UpdateProjectInput, ProjectIds>
  /**
   * Changes the fields that are given and leaves the others as they are, decided on the project as it is then;
   * nothing given changes nothing.
   */
  readonly patch: Write<PatchProjectInput, ProjectIds>
  /** Keeps users out, see `checkLogin`; a project that is inactive stays so. */
  readonly deactivate: Write<ProjectInput, ProjectIds>
  /** Lets users in again; a project that is active stays so. */
  readonly reactivate: Write<ProjectInput, ProjectIds>
  /** Removes the project and, with it, its roles; its id stays taken. */
  readonly remove: Write<ProjectInput, ProjectIds>
  /** One project. */
  readonly get: Read<ProjectInput, Project>
  /** The projects of the organization, page by page. */
  readonly list: Read<ListProjectsInput, Page<Project>>
  /**
   * Whether a user may log in to an application of the project; the refusal says which check
   * failed. Spec: Project, `projectRoleCheck` and `hasProjectCheck`.
   */
  readonly checkLogin: Read<CheckLoginInput, void>
}

/** @see Projects */
export const projectsOf = (runtime: Runtime): Projects => ({
  add: addProject(runtime),
  update: changeProject(runtime, {
    method: 'projects.update',
    schema: UpdateProject.shape.data,
    command: (data) => ({ type: 'UpdateProject', data }),
  }),
  patch: changeProject(runtime, {
    method: 'projects.patch',
    schema: PatchProject.shape.data,
    command: (data) => ({ type: 'PatchProject', data }),
  }),
  deactivate: changeProject(runtime, {
    method: 'projects.deactivate',
    schema: DeactivateProject.shape.data,
    command: (data) => ({ type: 'DeactivateProject', data }),
  }),
  reactivate: changeProject(runtime, {
    method: 'projects.reactivate',
    schema: ReactivateProject.shape.data,
    command: (data) => ({ type: 'ReactivateProject', data }),
  }),
  remove: changeProject(runtime, {
    method: 'projects.remove',
    schema: RemoveProject.shape.data,
    command: (data) => ({ type: 'RemoveProject', data }),
  }),
  get: get(runtime, 'projects.get', projects),
  list: list(runtime, {
    method: 'projects.list',
    kind: projects,
    schema: ListProjectsInput,
  }),
  checkLogin: checkLoginOf(runtime),
})
