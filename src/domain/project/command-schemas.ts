import * as z from 'zod/mini'
import { command, type Patch } from '../message.js'
import { choice, flag, ProjectId, requiredText } from '../values.js'
import type { ProjectAdded } from './events.js'

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
