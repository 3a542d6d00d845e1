// Storage contract: names and shapes below are persisted forever. Add to them; never change one.
import * as z from 'zod/mini'
import { event } from '../message.js'
import { OrgId, ProjectId, RoleKey } from '../values.js'

const ids = { projectId: ProjectId, grantedOrgId: OrgId }

const role = z.readonly(z.strictObject({ roleKey: RoleKey, roleSince: z.int() }))

const grant = { ...ids, roles: z.readonly(z.array(role)) }

/** A role that an organization may give to its users. */
export interface ProjectGrantRole {
  /** As `ProjectRole.roleKey`. */
  readonly roleKey: RoleKey
  /** Version of the event that began the generation of the role, in its own stream: at least 1. */
  readonly roleSince: number
}

/** A project was granted to another organization. */
export const ProjectGrantAdded = event('project_grant.added', grant)
export interface ProjectGrantAdded extends z.infer<typeof ProjectGrantAdded> {
  /** The new values. */
  readonly data: {
    /** As `ProjectGrant.projectId`. */
    readonly projectId: ProjectId
    /** As `ProjectGrant.grantedOrgId`. */
    readonly grantedOrgId: OrgId
    /** As `ProjectGrant.roleKeys`, each with its generation. */
    readonly roles: readonly ProjectGrantRole[]
  }
}

/** The roles of a grant were replaced. A role that it had in the same generation stays. */
export const ProjectGrantUpdated = event('project_grant.updated', grant)
export interface ProjectGrantUpdated extends z.infer<typeof ProjectGrantUpdated> {
  /** The new values. */
  readonly data: ProjectGrantAdded['data']
}

/** A grant was suspended: none of the roles that the organization gave counts. */
export const ProjectGrantDeactivated = event('project_grant.deactivated', ids)
export interface ProjectGrantDeactivated extends z.infer<typeof ProjectGrantDeactivated> {
  /** The grant. */
  readonly data: Pick<ProjectGrantAdded['data'], 'projectId' | 'grantedOrgId'>
}

/** A grant was resumed: the roles that the organization gave count again. */
export const ProjectGrantReactivated = event('project_grant.reactivated', ids)
export interface ProjectGrantReactivated extends z.infer<typeof ProjectGrantReactivated> {
  /** The grant. */
  readonly data: Pick<ProjectGrantAdded['data'], 'projectId' | 'grantedOrgId'>
}

/** A grant was removed, and with it the roles that the organization gave. */
export const ProjectGrantRemoved = event('project_grant.removed', ids)
export interface ProjectGrantRemoved extends z.infer<typeof ProjectGrantRemoved> {
  /** The grant. */
  readonly data: Pick<ProjectGrantAdded['data'], 'projectId' | 'grantedOrgId'>
}

/** Any event of a project grant's stream. */
export const ProjectGrantEvent = z.discriminatedUnion('type', [
  ProjectGrantAdded,
  ProjectGrantUpdated,
  ProjectGrantDeactivated,
  ProjectGrantReactivated,
  ProjectGrantRemoved,
])
export type ProjectGrantEvent =
  | ProjectGrantAdded
  | ProjectGrantUpdated
  | ProjectGrantDeactivated
  | ProjectGrantReactivated
  | ProjectGrantRemoved
