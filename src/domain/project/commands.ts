import * as z from 'zod/mini'
import { command, type MessageOf } from '../message.js'
import { choice, flag, ProjectId, requiredText } from '../values.js'

/** Whose branding applies at the login of a project. Spec: Project. */
export const PrivateLabelingSetting = choice([
  'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
  'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
])
export type PrivateLabelingSetting = z.infer<typeof PrivateLabelingSetting>

/** Which project. */
export interface ProjectKey {
  /** Unique within the organization. */
  readonly id: ProjectId
}

/** Name and settings of a project. Spec: Project. */
export interface ProjectFields {
  /** 1 to 200 characters (code points). Spec: Project. */
  readonly name: string
  /** Role information is included in the user info endpoint, see `roleClaims`. Spec: Project. */
  readonly projectRoleAssertion: boolean
  /** At login, the user must have a role of this project, see `checkLogin`. Spec: Project. */
  readonly projectRoleCheck: boolean
  /**
   * At login, the user's organization must own the project or have a grant to it, see `checkLogin`.
   * Spec: Project.
   */
  readonly hasProjectCheck: boolean
  /** Whose branding the login shows, see `brandingOrganization`. Spec: Project. */
  readonly privateLabelingSetting: PrivateLabelingSetting
}

/** A project, as commands and events tell of it. */
export interface ProjectData extends ProjectKey, ProjectFields {}

const id = { id: ProjectId }

const project = {
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
export const AddProject = command('AddProject', project)
export interface AddProject extends MessageOf<'AddProject', ProjectData> {}

/** Replaces name and settings; a field given no value has its default. Spec: Endpoints §3. */
export const UpdateProject = command('UpdateProject', project)
export interface UpdateProject extends MessageOf<'UpdateProject', ProjectData> {}

/** Keeps users out of a project without losing anything of it. */
export const DeactivateProject = command('DeactivateProject', id)
export interface DeactivateProject extends MessageOf<'DeactivateProject', ProjectKey> {}

/** Lets users into a project again. */
export const ReactivateProject = command('ReactivateProject', id)
export interface ReactivateProject extends MessageOf<'ReactivateProject', ProjectKey> {}

/** Removes a project and, with it, its roles. Its id stays taken. */
export const RemoveProject = command('RemoveProject', id)
export interface RemoveProject extends MessageOf<'RemoveProject', ProjectKey> {}

/** Any command of a project. */
export const ProjectCommand = z.discriminatedUnion('type', [
  AddProject,
  UpdateProject,
  DeactivateProject,
  ReactivateProject,
  RemoveProject,
])
export type ProjectCommand =
  | AddProject
  | UpdateProject
  | DeactivateProject
  | ReactivateProject
  | RemoveProject
