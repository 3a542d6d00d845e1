import {
  AddProjectRole,
  PatchProjectRole,
  RemoveProjectRole,
  UpdateProjectRole,
} from '../../domain/project-role/commands.js'
import { projectRoles } from '../../domain/project-role/kind.js'
import type { PatchedProjectRole, ProjectRoleDisplay } from '../../ports/fields.js'
import type { ProjectRole } from '../../ports/read-model.js'
import type { LongWrite, Read, Write } from '../method/method.js'
import { get } from '../reading/get.js'
import { list, type Page } from '../reading/list.js'
import { ListProjectRolesInput } from '../reading/list-input.js'
import type { Runtime } from '../runtime.js'
import {
  type AddProjectRoleInput,
  type AddProjectRolesInput,
  addProjectRoles,
  type ProjectRolesIds,
} from './add-project-roles.js'
import { changeProjectRole, type ProjectRoleIds } from './change-project-role.js'
import {
  type ImportProgress,
  type ImportProjectRolesInput,
  type ImportReport,
  importProjectRoles,
} from './import-project-roles.js'

/** A role of a project and all that it is to show; a group that is left out would be empty afterwards. */
export interface UpdateProjectRoleInput extends ProjectRoleInput, ProjectRoleDisplay {}

/** A role, and those of its fields that are to change. */
export interface PatchProjectRoleInput extends ProjectRoleInput, PatchedProjectRole {}

/** Names a role. */
export interface ProjectRoleInput {
  /** The `id` of its project. Spec: Project role. */
  readonly projectId: string
  /** The key that it was added with; it never changes. Spec: Project role. */
  readonly roleKey: string
}

/** Roles of projects. A role of a project that is not there, is not there. Spec: Project role. */
export interface ProjectRoles {
  /** Adds a role. Refused: a key that the project has. Spec: Endpoints §4. */
  readonly add: Write<AddProjectRoleInput, ProjectRoleIds>
  /** Adds 1 to 1,000 roles of one project, all or none; answers with the `details` of the last. */
  readonly addMany: Write<AddProjectRolesInput, ProjectRolesIds>
  /**
   * Adds roles of one project from a list or a stream of rows, in atomic batches of 1,000. Rows that
   * are malformed or would change a role are reported; those that are there and equal are passed
   * over, so running it again goes on where it was cut short.
   */
  readonly import: LongWrite<ImportProjectRolesInput, ImportProgress, ImportReport>
  /** Replaces `displayName` and `group`; an absent group is empty afterwards. */
  readonly update: Write<UpdateProjectRoleInput, ProjectRoleIds>
  /**
   * Changes the fields that are given and leaves the others as they are, decided on the role as it is then;
   * nothing given changes nothing.
   */
  readonly patch: Write<PatchProjectRoleInput, ProjectRoleIds>
  /** Removes the role; its key may be added again, as a new role. */
  readonly remove: Write<ProjectRoleInput, ProjectRoleIds>
  /** One role. */
  readonly get: Read<ProjectRoleInput, ProjectRole>
  /** The roles of one project, page by page. */
  readonly list: Read<ListProjectRolesInput, Page<ProjectRole>>
}

/** @see ProjectRoles */
export const projectRolesOf = (runtime: Runtime): ProjectRoles => ({
  add: changeProjectRole(runtime, {
    method: 'projectRoles.add',
    schema: AddProjectRole.shape.data,
    command: (data) => ({ type: 'AddProjectRole', data }),
    isNew: true,
  }),
  addMany: addProjectRoles(runtime),
  import: importProjectRoles(runtime),
  update: changeProjectRole(runtime, {
    method: 'projectRoles.update',
    schema: UpdateProjectRole.shape.data,
    command: (data) => ({ type: 'UpdateProjectRole', data }),
  }),
  patch: changeProjectRole(runtime, {
    method: 'projectRoles.patch',
    schema: PatchProjectRole.shape.data,
    command: (data) => ({ type: 'PatchProjectRole', data }),
  }),
  remove: changeProjectRole(runtime, {
    method: 'projectRoles.remove',
    schema: RemoveProjectRole.shape.data,
    command: (data) => ({ type: 'RemoveProjectRole', data }),
  }),
  get: get(runtime, 'projectRoles.get', projectRoles),
  list: list(runtime, {
    method: 'projectRoles.list',
    kind: projectRoles,
    schema: ListProjectRolesInput,
  }),
})
