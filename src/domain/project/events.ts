// Storage contract: names and shapes below are persisted forever. Add to them; never change one.
import * as z from 'zod/mini'
import { event } from '../message.js'
import { ProjectId } from '../values.js'

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

/** A project was added. */
export const ProjectAdded = event('project.added', project)
export interface ProjectAdded extends z.infer<typeof ProjectAdded> {
  /** The new values. */
  readonly data: {
    /** Unique within the organization. */
    readonly id: ProjectId
    /** As `Project.name`. */
    readonly name: string
    /** As `Project.projectRoleAssertion`. */
    readonly projectRoleAssertion: boolean
    /** As `Project.projectRoleCheck`. */
    readonly projectRoleCheck: boolean
    /** As `Project.hasProjectCheck`. */
    readonly hasProjectCheck: boolean
    /** As `Project.privateLabelingSetting`. */
    readonly privateLabelingSetting:
      | 'PRIVATE_LABELING_SETTING_UNSPECIFIED'
      | 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY'
      | 'PRIVATE_LABELING_SETTING_ALLOW_LOGIN_USER_RESOURCE_OWNER_POLICY'
  }
}

/** Name and settings of a project were replaced. */
export const ProjectUpdated = event('project.updated', project)
export interface ProjectUpdated extends z.infer<typeof ProjectUpdated> {
  /** The new values. */
  readonly data: ProjectAdded['data']
}

/** A project was deactivated: users cannot log in. */
export const ProjectDeactivated = event('project.deactivated', id)
export interface ProjectDeactivated extends z.infer<typeof ProjectDeactivated> {
  /** The project. */
  readonly data: Pick<ProjectAdded['data'], 'id'>
}

/** A project was reactivated: users can log in again. */
export const ProjectReactivated = event('project.reactivated', id)
export interface ProjectReactivated extends z.infer<typeof ProjectReactivated> {
  /** The project. */
  readonly data: Pick<ProjectAdded['data'], 'id'>
}

/** A project was removed, and its roles with it. */
export const ProjectRemoved = event('project.removed', id)
export interface ProjectRemoved extends z.infer<typeof ProjectRemoved> {
  /** The project. */
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
