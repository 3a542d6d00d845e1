import {
  DeactivateProject,
  PatchProject,
  ReactivateProject,
  RemoveProject,
  UpdateProject,
} from '../../domain/project/commands.js'
import { projects } from '../../domain/project/kind.js'
import { ProjectId } from '../../domain/values.js'
import type { Project } from '../../ports/read-model.js'
import type { Read, Write } from '../method/method.js'
import { get } from '../reading/get.js'
import { list, type Page } from '../reading/list.js'
import { ListProjectsInput } from '../reading/list-input.js'
import type { Runtime } from '../runtime.js'
import { type CheckLoginInput, checkLoginOf } from './check-login.js'
import {
  AddProjectInput,
  type PatchProjectInput,
  type ProjectInput,
  type UpdateProjectInput,
} from './project-input.js'
import { type ProjectIds, writeProject } from './write-project.js'

/** Containers of applications that share the same roles. Spec: Project. */
export interface Projects {
  /** Adds a project. Refused: an own `id` that is or was used in the organization. */
  readonly add: Write<AddProjectInput, ProjectIds>
  /** Replaces name and settings: an absent setting gets its default. Spec: Endpoints §3. */
  readonly update: Write<UpdateProjectInput, ProjectIds>
  /**
   * Changes the given fields and keeps the others as they are in the current state of the project. Without
   * any field nothing changes.
   */
  readonly patch: Write<PatchProjectInput, ProjectIds>
  /** Keeps users out, see `checkLogin`. An inactive project stays inactive. */
  readonly deactivate: Write<ProjectInput, ProjectIds>
  /** Lets users in again. An active project stays active. */
  readonly reactivate: Write<ProjectInput, ProjectIds>
  /** Removes the project and its roles. The id cannot be used again. */
  readonly remove: Write<ProjectInput, ProjectIds>
  /** One project. */
  readonly get: Read<ProjectInput, Project>
  /** The projects of the organization, page by page. */
  readonly list: Read<ListProjectsInput, Page<Project>>
  /**
   * Checks whether a user may log in to an application of the project. The refusal says which check
   * failed. Spec: Project, `projectRoleCheck` and `hasProjectCheck`.
   */
  readonly checkLogin: Read<CheckLoginInput, void>
}

/** @see Projects */
export const projectsOf = (runtime: Runtime): Projects => ({
  add: writeProject(runtime, {
    method: 'projects.add',
    schema: AddProjectInput,
    command: (input) => ({
      type: 'AddProject',
      data: { ...input, id: input.id ?? ProjectId.parse(runtime.newId()) },
    }),
    isNew: true,
  }),
  update: writeProject(runtime, {
    method: 'projects.update',
    schema: UpdateProject.shape.data,
    command: (data) => ({ type: 'UpdateProject', data }),
  }),
  patch: writeProject(runtime, {
    method: 'projects.patch',
    schema: PatchProject.shape.data,
    command: (data) => ({ type: 'PatchProject', data }),
  }),
  deactivate: writeProject(runtime, {
    method: 'projects.deactivate',
    schema: DeactivateProject.shape.data,
    command: (data) => ({ type: 'DeactivateProject', data }),
  }),
  reactivate: writeProject(runtime, {
    method: 'projects.reactivate',
    schema: ReactivateProject.shape.data,
    command: (data) => ({ type: 'ReactivateProject', data }),
  }),
  remove: writeProject(runtime, {
    method: 'projects.remove',
    schema: RemoveProject.shape.data,
    command: (data) => ({ type: 'RemoveProject', data }),
  }),
  get: get(runtime, 'projects.get', projects),
  list: list(runtime, { method: 'projects.list', kind: projects, schema: ListProjectsInput }),
  checkLogin: checkLoginOf(runtime),
})
