import * as z from 'zod/mini'
import { command } from '../message.js'
import { listOf, MAX_GRANTED_ROLES, OrgId, ProjectId, RoleKey } from '../values.js'
import type { ProjectGrantAdded } from './events.js'

const ids = { projectId: ProjectId, grantedOrgId: OrgId }

const role = z.strictObject({ roleKey: RoleKey, roleSince: z.int() })

const grant = { ...ids, roles: listOf(role, 1, MAX_GRANTED_ROLES) }

/** Lets another organization give roles of a project to its users. */
export const AddProjectGrant = command('AddProjectGrant', grant)
export interface AddProjectGrant extends z.infer<typeof AddProjectGrant> {
  /** The new grant. */
  readonly data: ProjectGrantAdded['data']
}

/** Replaces the roles of a grant. */
export const UpdateProjectGrant = command('UpdateProjectGrant', grant)
export interface UpdateProjectGrant extends z.infer<typeof UpdateProjectGrant> {
  /** The grant, and its new roles. */
  readonly data: ProjectGrantAdded['data']
}

/** Suspends a grant: none of the roles that the organization gave counts. */
export const DeactivateProjectGrant = command('DeactivateProjectGrant', ids)
export interface DeactivateProjectGrant extends z.infer<typeof DeactivateProjectGrant> {
  /** The grant. */
  readonly data: Pick<ProjectGrantAdded['data'], 'projectId' | 'grantedOrgId'>
}

/** Resumes a grant: the roles that the organization gave count again. */
export const ReactivateProjectGrant = command('ReactivateProjectGrant', ids)
export interface ReactivateProjectGrant extends z.infer<typeof ReactivateProjectGrant> {
  /** The grant. */
  readonly data: Pick<ProjectGrantAdded['data'], 'projectId' | 'grantedOrgId'>
}

/** Removes a grant. It can be added again, which restores none of the roles. */
export const RemoveProjectGrant = command('RemoveProjectGrant', ids)
export interface RemoveProjectGrant extends z.infer<typeof RemoveProjectGrant> {
  /** The grant. */
  readonly data: Pick<ProjectGrantAdded['data'], 'projectId' | 'grantedOrgId'>
}

/** Any command of a project grant. */
export const ProjectGrantCommand = z.discriminatedUnion('type', [
  AddProjectGrant,
  UpdateProjectGrant,
  DeactivateProjectGrant,
  ReactivateProjectGrant,
  RemoveProjectGrant,
])
export type ProjectGrantCommand =
  | AddProjectGrant
  | UpdateProjectGrant
  | DeactivateProjectGrant
  | ReactivateProjectGrant
  | RemoveProjectGrant
