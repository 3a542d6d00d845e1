// Storage contract: names and shapes below are persisted forever. Add to them; never change one.
import * as z from 'zod/mini'
import { event } from '../message.js'
import { GroupName, IdpId, OrgId, ProjectId, Resource, RoleKey } from '../values.js'

const ids = {
  idpId: IdpId,
  projectOrgId: OrgId,
  projectId: ProjectId,
  group: GroupName,
  resource: z.exactOptional(Resource),
}

const role = z.readonly(
  z.strictObject({ roleKey: RoleKey, roleSince: z.int(), grantSince: z.optional(z.int()) }),
)

/** A role that members of the group have. */
export interface MappedRole {
  /** As `ProjectRole.roleKey`. */
  readonly roleKey: RoleKey
  /** Version of the event that began the generation of the role, in its own stream: at least 1. */
  readonly roleSince: number
  /**
   * Version of the event that put the role into the grant of the project, in the stream of that grant; absent where
   * the organization of the provider owns the project.
   */
  readonly grantSince?: number | undefined
}

const mapping = { ...ids, roles: z.readonly(z.array(role)), validFor: z.exactOptional(z.int()) }

/** A group of a provider was given roles of a project. */
export const RoleMappingAdded = event('role_mapping.added', mapping)
export interface RoleMappingAdded extends z.infer<typeof RoleMappingAdded> {
  /** The new values. */
  readonly data: {
    /** As `RoleMapping.idpId`. */
    readonly idpId: IdpId
    /** As `RoleMapping.projectOrgId`. */
    readonly projectOrgId: OrgId
    /** As `RoleMapping.projectId`. */
    readonly projectId: ProjectId
    /** As `RoleMapping.group`. */
    readonly group: GroupName
    /** As `RoleMapping.resource`. */
    readonly resource?: Resource
    /** As `RoleMapping.roleKeys`, each with its generation. */
    readonly roles: readonly MappedRole[]
    /** As `RoleMapping.validFor`. */
    readonly validFor?: number
  }
}

/** The roles of a mapping, or how long a report counts, were changed. */
export const RoleMappingUpdated = event('role_mapping.updated', mapping)
export interface RoleMappingUpdated extends z.infer<typeof RoleMappingUpdated> {
  /** The new values, with all roles. */
  readonly data: RoleMappingAdded['data']
}

/** A mapping was removed: the group gives none of its roles. */
export const RoleMappingRemoved = event('role_mapping.removed', ids)
export interface RoleMappingRemoved extends z.infer<typeof RoleMappingRemoved> {
  /** The mapping. */
  readonly data: Omit<RoleMappingAdded['data'], 'roles' | 'validFor'>
}

/** Any event of a mapping's stream. */
export const RoleMappingEvent = z.discriminatedUnion('type', [
  RoleMappingAdded,
  RoleMappingUpdated,
  RoleMappingRemoved,
])
export type RoleMappingEvent = RoleMappingAdded | RoleMappingUpdated | RoleMappingRemoved
