// Storage contract: names and shapes below are persisted for ever. Add to them; never change one.
import * as z from 'zod/mini'
import { event, type MessageOf, type Upcasters } from '../message.js'
import { ProjectId, type StreamId } from '../values.js'
import type { ProjectData, ProjectKey } from './commands.js'

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
export interface ProjectAdded extends MessageOf<'project.added', ProjectData> {}

/** Name and settings of a project were replaced. */
export const ProjectUpdated = event('project.updated', project)
export interface ProjectUpdated extends MessageOf<'project.updated', ProjectData> {}

/** Users are kept out of a project. */
export const ProjectDeactivated = event('project.deactivated', id)
export interface ProjectDeactivated extends MessageOf<'project.deactivated', ProjectKey> {}

/** Users are let into a project again. */
export const ProjectReactivated = event('project.reactivated', id)
export interface ProjectReactivated extends MessageOf<'project.reactivated', ProjectKey> {}

/** A project ceased to be, and its roles with it. */
export const ProjectRemoved = event('project.removed', id)
export interface ProjectRemoved extends MessageOf<'project.removed', ProjectKey> {}

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
