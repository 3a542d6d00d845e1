import * as z from 'zod/mini'
import { AddProject, type PrivateLabelingSetting } from '../../domain/project/commands.js'
import { ProjectId } from '../../domain/values.js'
import type { PatchedProject, ProjectSettings } from '../../ports/fields.js'

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
export interface AddProjectInput {
  /**
   * An own id: 1 to 64 ASCII letters, digits or any of `. _ : @ ~ -`, starting with a letter or digit.
   * It must never have been used in the organization. A new ULID when absent.
   */
  readonly id?: string | undefined
  /** 1 to 200 characters (code points); several projects may have the same. Spec: Project. */
  readonly name: string
  /**
   * Role information is included in the user info endpoint, see `roleClaims`; false when absent.
   * Spec: Project.
   */
  readonly projectRoleAssertion?: boolean | undefined
  /**
   * At login, the user must have a role of this project, see `checkLogin`; false when absent. Spec:
   * Project.
   */
  readonly projectRoleCheck?: boolean | undefined
  /**
   * At login, the user's organization must own the project or have a grant to it, see `checkLogin`;
   * false when absent. Spec: Project.
   */
  readonly hasProjectCheck?: boolean | undefined
  /**
   * Whose branding the login shows, see `brandingOrganization`;
   * `PRIVATE_LABELING_SETTING_UNSPECIFIED`, the host's own, when absent. Spec: Project.
   */
  readonly privateLabelingSetting?: PrivateLabelingSetting | undefined
}

/** A project with its name and all settings. The update would set an absent setting to its default. */
export interface UpdateProjectInput extends ProjectInput, ProjectSettings {}

/** A project and the fields to change. */
export interface PatchProjectInput extends ProjectInput, PatchedProject {}
