// Storage contract: names and shapes below are persisted for ever. Add to them; never change one.
import * as z from 'zod/mini'
import { event, type Upcasters } from '../message.js'
import { ProjectId, type StreamId } from '../values.js'

/** One stream per project. */
export const projectStream = (orgId: string, id: string): StreamId => `project-${orgId}+${id}`

const id = { id: ProjectId }

const project = {
  ...id,
  name: z.string(),
  projectRoleAssertion: z.boolean(),
  projectRoleCheck: z.boolean(),
  hasProjectCheck: z.boolean(),
  privateLabelingSetting: z.enum([
    'PRIVATE_LABELING_SETTING_UNSPECIFIED',
    'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
    'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY',
  ]),
}

/** A project came to be. */
export const ProjectAdded = event('project.added', project)
export interface ProjectAdded extends z.infer<typeof ProjectAdded> {
  /** As it is from now on. */
  readonly data: {
    /** Unique within the organization. */
    readonly id: ProjectId
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
    readonly privateLabelingSetting:
      | 'PRIVATE_LABELING_SETTING_UNSPECIFIED'
      | 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY'
      | 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY'
  }
}

/** Name and settings of a project were replaced. */
export const ProjectUpdated = event('project.updated', project)
export interface ProjectUpdated extends z.infer<typeof ProjectUpdated> {
  /** As it is from now on. */
  readonly data: ProjectAdded['data']
}

/** Users are kept out of a project. */
export const ProjectDeactivated = event('project.deactivated', id)
export interface ProjectDeactivated extends z.infer<typeof ProjectDeactivated> {
  /** Which project. */
  readonly data: Pick<ProjectAdded['data'], 'id'>
}

/** Users are let into a project again. */
export const ProjectReactivated = event('project.reactivated', id)
export interface ProjectReactivated extends z.infer<typeof ProjectReactivated> {
  /** Which project. */
  readonly data: Pick<ProjectAdded['data'], 'id'>
}

/** A project ceased to be, and its roles with it. */
export const ProjectRemoved = event('project.removed', id)
export interface ProjectRemoved extends z.infer<typeof ProjectRemoved> {
  /** Which project. */
  readonly data: Pick<ProjectAdded['data'], 'id'>
}

/** Any event of a project's stream. */
export const ProjectEvent = z.discriminatedUnion('type', [
  ProjectAdded,
  ProjectUpdated,
  ProjectDeactivated,
  ProjectReactivated,
  ProjectRemoved,
])
export type ProjectEvent =
  | ProjectAdded
  | ProjectUpdated
  | ProjectDeactivated
  | ProjectReactivated
  | ProjectRemoved

/** Every shape is still the first one. */
export const projectUpcasters: Upcasters = {}
