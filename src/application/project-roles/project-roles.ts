import * as z from 'zod/mini'
import {
  type ProjectRole,
  type ProjectRoleDisplay,
  projectRoles,
} from '../../domain/project-role/aggregate.js'
import {
  AddProjectRole,
  PatchProjectRole,
  type ProjectRoleFieldsInput,
  RemoveProjectRole,
  UpdateProjectRole,
} from '../../domain/project-role/command-schemas.js'
import { ProjectId } from '../../domain/values.js'
import type { ImportProgress, ImportReport } from '../import-rows.js'
import type { LongContext } from '../method/context.js'
import { Rows, targetOf } from '../method/input.js'
import { type LongWrite, longWrite, type Read, type Write } from '../method/method.js'
import {
  get,
  type ListOptions,
  list,
  listFields,
  type Page,
  type TextFilter,
} from '../reading/list.js'
import type { Runtime } from '../runtime.js'
import { writesOf } from '../writing/write-object.js'
import {
  type AddProjectRoleInput,
  type AddProjectRolesInput,
  addProjectRoles,
  type ProjectRolesIds,
} from './add-project-roles.js'
import type { ImportProjectRolesInput } from './import-project-roles.js'

/** A role with all its fields. */
export interface UpdateProjectRoleInput extends ProjectRoleInput, ProjectRoleDisplay {
  /**
   * Permissions of the role: at most 200 names without duplicates, each of 1 to 100 ASCII letters, digits or any of
   * `. _ : / -`, starting with a letter or digit. Default: none.
   */
  readonly permissions?: readonly string[] | undefined
}

/** A role and the fields to change; an absent one stays as it is. */
export interface PatchProjectRoleInput extends ProjectRoleInput, ProjectRoleFieldsInput {
  /** 1 to 200 characters (code points). */
  readonly displayName?: string | undefined
}

/** Names a role. */
export interface ProjectRoleInput {
  /** The `id` of its project. */
  readonly projectId: string
  /** Key of the role, which never changes. */
  readonly roleKey: string
}

/** The ids of a role in the outcome of a write. */
export interface ProjectRoleIds extends ProjectRoleInput {}

/** Which roles of a project to list, and in which order. */
export const ListProjectRolesInput = z.strictObject({
  projectId: ProjectId,
  ...listFields(projectRoles),
})
export interface ListProjectRolesInput extends ListOptions<ProjectRole> {
  /** The `id` of the project; it must exist. */
  readonly projectId: string
  /** Conditions, which must all hold. Default: every role of the project. */
  readonly filter?:
    | {
        /** Condition on the key. */
        readonly roleKey?: TextFilter | undefined
        /** Condition on the display name. */
        readonly displayName?: TextFilter | undefined
        /** Condition on the group; `{ equals: '' }` for roles without a group. */
        readonly group?: TextFilter | undefined
        /** Condition on the permissions: matches a role if any of its permissions matches. */
        readonly permission?: TextFilter | undefined
        /** Every role is active, so this excludes none. */
        readonly state?: 'active' | undefined
      }
    | undefined
}

/** Roles of projects. Removing a project removes its roles. */
export interface ProjectRoles {
  /**
   * Adds a role. `AlreadyExists` when the project has a role with this key.
   *
   * @example
   * const permissions = ['article.edit', 'article.publish']
   * await iam.projectRoles.add({ projectId, roleKey: 'editor', displayName: 'Editor', permissions }, context)
   */
  readonly add: Write<AddProjectRoleInput, ProjectRoleIds>
  /** Adds 1 to 1,000 roles of one project, all or none; returns the `details` of the last. */
  readonly addMany: Write<AddProjectRolesInput, ProjectRolesIds>
  /**
   * Adds roles of one project from a list or a stream of rows, in atomic batches of 1,000. Rows that
   * are malformed or would change a role are reported. Rows that exist and are equal are skipped, so an
   * interrupted import continues when it is run again.
   */
  readonly import: LongWrite<ImportProjectRolesInput, ImportProgress, ImportReport>
  /**
   * Replaces `displayName`, `group` and `permissions`. An absent group becomes empty, and absent permissions become
   * none.
   */
  readonly update: Write<UpdateProjectRoleInput, ProjectRoleIds>
  /**
   * Changes the given fields and keeps the others as they are in the current state of the role. Without any
   * field nothing changes.
   */
  readonly patch: Write<PatchProjectRoleInput, ProjectRoleIds>
  /**
   * Removes the role, which revokes it everywhere. Its key may be added again as a new role, which restores nobody's
   * access.
   */
  readonly remove: Write<ProjectRoleInput, ProjectRoleIds>
  /** Returns one role. */
  readonly get: Read<ProjectRoleInput, ProjectRole>
  /** Lists the roles of one project, page by page. */
  readonly list: Read<ListProjectRolesInput, Page<ProjectRole>>
}

// Loaded at the first import, so that hosts without one do not load it.
const importing = () => import('./import-project-roles.js')

/** The methods of {@link ProjectRoles}, on the ports of a host. */
export default (runtime: Runtime): ProjectRoles => {
  const { add, change } = writesOf(
    runtime,
    projectRoles,
    ({ projectId, roleKey }): ProjectRoleIds => ({ projectId, roleKey }),
  )
  return {
    add: add('projectRoles.add', AddProjectRole.shape.data, (data) => ({
      type: 'AddProjectRole',
      data,
    })),
    addMany: addProjectRoles(runtime),
    import: longWrite(
      runtime,
      {
        method: 'projectRoles.import',
        permissions: [projectRoles.permissions.read, projectRoles.permissions.write],
        schema: z.strictObject({ projectId: ProjectId, roles: Rows }),
        target: targetOf(projectRoles),
      },
      async (call, input, onProgress: LongContext<ImportProgress>['onProgress']) =>
        (await importing()).importProjectRoles(runtime, call, input, onProgress),
    ),
    update: change('projectRoles.update', UpdateProjectRole),
    patch: change('projectRoles.patch', PatchProjectRole),
    remove: change('projectRoles.remove', RemoveProjectRole),
    get: get(runtime, 'projectRoles.get', projectRoles),
    list: list(runtime, 'projectRoles.list', projectRoles, ListProjectRolesInput),
  }
}
