import {
  DeactivateProject,
  PatchProject,
  ReactivateProject,
  RemoveProject,
  UpdateProject,
} from '../../domain/project/commands.js'
import { projects } from '../../domain/project/kind.js'
import type { RoleInformation } from '../../domain/project/login.js'
import { ProjectId } from '../../domain/values.js'
import type { Project } from '../../ports/read-model.js'
import type { Read, Write } from '../method/method.js'
import { get } from '../reading/get.js'
import { list, type Page } from '../reading/list.js'
import type { Runtime } from '../runtime.js'
import { writesOf } from '../writing/write-command.js'
import { type CheckLoginInput, checkLoginOf } from './check-login.js'
import {
  AddProjectInput,
  ListProjectsInput,
  type PatchProjectInput,
  type ProjectIds,
  type ProjectInput,
  type UpdateProjectInput,
} from './project-input.js'
import { type RoleClaimsInput, roleClaimsOf } from './role-claims.js'

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
  /**
   * The roles of a user for the user info response, by the grants: those that count, if the project asserts roles; else
   * none. Spec: Project, `projectRoleAssertion`.
   */
  readonly roleClaims: Read<RoleClaimsInput, readonly RoleInformation[]>
}

/** @see Projects */
export const projectsOf = (runtime: Runtime): Projects => {
  const { add, change } = writesOf(runtime, projects, ({ id }): ProjectIds => ({ projectId: id }))
  return {
    add: add('projects.add', AddProjectInput, (input) => ({
      type: 'AddProject',
      data: { ...input, id: input.id ?? ProjectId.parse(runtime.newId()) },
    })),
    update: change('projects.update', UpdateProject),
    patch: change('projects.patch', PatchProject),
    deactivate: change('projects.deactivate', DeactivateProject),
    reactivate: change('projects.reactivate', ReactivateProject),
    remove: change('projects.remove', RemoveProject),
    get: get(runtime, 'projects.get', projects),
    list: list(runtime, { method: 'projects.list', kind: projects, schema: ListProjectsInput }),
    checkLogin: checkLoginOf(runtime),
    roleClaims: roleClaimsOf(runtime),
  }
}
