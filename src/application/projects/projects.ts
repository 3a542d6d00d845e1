import * as z from 'zod/mini'
import { type Project, type ProjectSettings, projects } from '../../domain/project/aggregate.js'
import {
  AddProject,
  DeactivateProject,
  PatchProject,
  type ProjectSettingsInput,
  ReactivateProject,
  RemoveProject,
  UpdateProject,
} from '../../domain/project/command-schemas.js'
import type { LoginRefusal, RoleInformation } from '../../domain/project/login.js'
import { ProjectId } from '../../domain/values.js'
import type { Aborted } from '../errors/errors.js'
import type { Read, Write } from '../method/method.js'
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
import { type CheckLoginInput, checkLoginOf, type RoleClaimsInput, roleClaimsOf } from './login.js'

/** Containers of applications that share the same roles. */
export interface Projects {
  /**
   * Adds a project. Refused: an own `id` that is or was used in the organization.
   *
   * @example
   * const added = await iam.projects.add({ name: 'Portal' }, context)
   * if (added.isOk()) console.log(added.value.projectId)
   */
  readonly add: Write<AddProjectInput, ProjectIds>
  /** Replaces name and settings: an absent setting gets its default. */
  readonly update: Write<UpdateProjectInput, ProjectIds>
  /**
   * Changes the given fields and keeps the others as they are in the current state of the project. Without
   * any field nothing changes.
   */
  readonly patch: Write<PatchProjectInput, ProjectIds>
  /** Deactivates the project, so that nobody can log in, see `checkLogin`. Succeeds if it is inactive already. */
  readonly deactivate: Write<ProjectInput, ProjectIds>
  /** Reactivates the project. Succeeds if it is active already. */
  readonly reactivate: Write<ProjectInput, ProjectIds>
  /** Removes the project and its roles. The id cannot be used again. */
  readonly remove: Write<ProjectInput, ProjectIds>
  /** Returns one project. */
  readonly get: Read<ProjectInput, Project>
  /**
   * Lists the organization's projects, page by page.
   *
   * @example
   * const page = await iam.projects.list({ filter: { state: 'active' }, pageSize: 50 }, context)
   * if (page.isOk()) for (const { id, name } of page.value.items) console.log(id, name)
   */
  readonly list: Read<ListProjectsInput, Page<Project>>
  /**
   * Checks whether a user may log in to an application of the project. The refusal says which check
   * failed.
   */
  readonly checkLogin: Read<CheckLoginInput, void, LoginRefusal | Aborted>
  /**
   * Returns the user's current roles for the user info response if the project has `projectRoleAssertion`; otherwise
   * none.
   */
  readonly roleClaims: Read<RoleClaimsInput, readonly RoleInformation[]>
}

/** The methods of {@link Projects}, on the ports of a host. */
export default (runtime: Runtime): Projects => {
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
    list: list(runtime, 'projects.list', projects, ListProjectsInput),
    checkLogin: checkLoginOf(runtime),
    roleClaims: roleClaimsOf(runtime),
  }
}

/** Names a project. */
export interface ProjectInput {
  /** Id of the project, as given to `add` or returned by it. */
  readonly id: string
}

/** The id of a project in the outcome of a write. */
export interface ProjectIds {
  /** The `id` of the project. */
  readonly projectId: string
}

/** {@link AddProject}; without an own `id` the project gets a new ULID. */
export const AddProjectInput = z.extend(AddProject.shape.data, { id: z.optional(ProjectId) })
export interface AddProjectInput extends ProjectSettingsInput {
  /**
   * Your own id: 1 to 64 ASCII letters, digits or any of `. _ : @ ~ -`, starting with a letter or digit. It must never
   * have been used in the organization. Default: a new ULID.
   */
  readonly id?: string | undefined
  /** 1 to 200 characters (code points); several projects may have the same. */
  readonly name: string
}

/** A project with its name and all settings. */
export interface UpdateProjectInput extends ProjectInput, ProjectSettings {}

/** A project and the fields to change; an absent one stays as it is. */
export interface PatchProjectInput extends ProjectInput, ProjectSettingsInput {
  /** 1 to 200 characters (code points). */
  readonly name?: string | undefined
}

/** Which projects to list, and in which order. */
export const ListProjectsInput = z.strictObject(listFields(projects))
export interface ListProjectsInput extends ListOptions<Project> {
  /** Conditions, which must all hold. Default: every project of the organization. */
  readonly filter?:
    | {
        /** Condition on the id. */
        readonly id?: TextFilter | undefined
        /** Condition on the name. */
        readonly name?: TextFilter | undefined
        /** Only projects in this state; both when absent. */
        readonly state?: 'active' | 'inactive' | undefined
      }
    | undefined
}
