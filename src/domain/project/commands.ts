import * as z from 'zod/mini'
import { command } from '../message.js'
import { choice, flag, ProjectId, requiredText } from '../values.js'
import type { ProjectAdded } from './events.js'

/** Whose branding applies at the login of a project. Spec: Project. */
export const PrivateLabelingSetting = choice([
  'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
  'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
])
export type PrivateLabelingSetting = z.infer<typeof PrivateLabelingSetting>

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
export interface AddProject extends z.infer<typeof AddProject> {
  /** As it is to be. */
  readonly data: ProjectAdded['data']
}

/** Replaces name and settings; a field given no value has its default. Spec: Endpoints §3. */
export const UpdateProject = command('UpdateProject', project)
export interface UpdateProject extends z.infer<typeof UpdateProject> {
  /** As it is to be. */
  readonly data: ProjectAdded['data']
}

/** Keeps users out of a project without losing anything of it. */
export const DeactivateProject = command('DeactivateProject', id)
export interface DeactivateProject extends z.infer<typeof DeactivateProject> {
  /** Which project. */
  readonly data: Pick<ProjectAdded['data'], 'id'>
}

/** Lets users into a project again. */
export const ReactivateProject = command('ReactivateProject', id)
export interface ReactivateProject extends z.infer<typeof ReactivateProject> {
  /** Which project. */
  readonly data: Pick<ProjectAdded['data'], 'id'>
}

/** Removes a project and, with it, its roles. Its id stays taken. */
export const RemoveProject = command('RemoveProject', id)
export interface RemoveProject extends z.infer<typeof RemoveProject> {
  /** Which project. */
  readonly data: Pick<ProjectAdded['data'], 'id'>
}

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
