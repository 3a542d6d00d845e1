import * as z from 'zod/mini'
import { AddProject } from '../../domain/project/commands.js'
import type { GivenSettings, ProjectSettings } from '../../domain/project/fields.js'
import { projects } from '../../domain/project/kind.js'
import { ProjectId } from '../../domain/values.js'
import type { Project } from '../../ports/read-model.js'
import type { GivenList, TextFilter } from '../reading/given-list.js'
import { filterBy, pageOf } from '../reading/list-input.js'

/** Names a project. */
export interface ProjectInput {
  /** Id of the project, as `add` answered or was given it. Spec: Project. */
  readonly id: string
}

/** The id of a project, as every outcome calls it. */
export interface ProjectIds {
  /** The `id` of the project. */
  readonly projectId: string
}

/** {@link AddProject}; without an own `id` the project gets a new ULID. */
export const AddProjectInput = z.extend(AddProject.shape.data, { id: z.optional(ProjectId) })
export interface AddProjectInput extends GivenSettings {
  /**
   * An own id: 1 to 64 ASCII letters, digits or any of `. _ : @ ~ -`, starting with a letter or digit.
   * It must never have been used in the organization. A new ULID when absent.
   */
  readonly id?: string | undefined
  /** 1 to 200 characters (code points); several projects may have the same. Spec: Project. */
  readonly name: string
}

/** A project with its name and all settings. The update would set an absent setting to its default. */
export interface UpdateProjectInput extends ProjectInput, ProjectSettings {}

/** A project and the fields to change; an absent one stays as it is. */
export interface PatchProjectInput extends ProjectInput, GivenSettings {
  /** 1 to 200 characters (code points). Spec: Project. */
  readonly name?: string | undefined
}

/** Which projects to list, in which order. */
export const ListProjectsInput = z.strictObject({
  filter: z._default(filterBy(projects), {}),
  ...pageOf(projects),
})
export interface ListProjectsInput extends GivenList<Project> {
  /** Conditions, all of which must hold; every project of the organization when absent. */
  readonly filter?:
    | {
        /** On the id. */
        readonly id?: TextFilter | undefined
        /** On the name. */
        readonly name?: TextFilter | undefined
        /** In this state; in either when absent. */
        readonly state?: 'active' | 'inactive' | undefined
      }
    | undefined
}
