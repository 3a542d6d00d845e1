// Storage contract: names and shapes below are persisted forever. Add to them; never change one.
import * as z from 'zod/mini'
import { event } from '../message.js'
import { ExpiryTime, OrgId, ProjectId, Resource, RoleKey, UserId } from '../values.js'

const ids = {
  userId: UserId,
  projectOrgId: OrgId,
  projectId: ProjectId,
  resource: z.exactOptional(Resource),
}

const role = z.readonly(
  z.strictObject({
    roleKey: RoleKey,
    expiresAt: z.optional(ExpiryTime),
    roleSince: z.int(),
    grantSince: z.optional(z.int()),
  }),
)

/** A role that a user was given. */
export interface UserGrantRole {
  /** As `ProjectRole.roleKey`. */
  readonly roleKey: RoleKey
  /** When the role expires, in RFC 3339, UTC, with milliseconds; absent for never. */
  readonly expiresAt?: string | undefined
  /** Version of the event that began the generation of the role, in its own stream: at least 1. */
  readonly roleSince: number
  /**
   * Version of the event that put the role into the grant of the project, in the stream of that grant; absent where
   * the organization of the user owns the project.
   */
  readonly grantSince?: number | undefined
}

const grant = { ...ids, roles: z.readonly(z.array(role)) }

/** A user was given roles of a project. */
export const UserGrantAdded = event('user_grant.added', grant)
export interface UserGrantAdded extends z.infer<typeof UserGrantAdded> {
  /** The new values. */
  readonly data: {
    /** As `UserGrant.userId`. */
    readonly userId: UserId
    /** As `UserGrant.projectOrgId`. */
    readonly projectOrgId: OrgId
    /** As `UserGrant.projectId`. */
    readonly projectId: ProjectId
    /** As `UserGrant.resource`. */
    readonly resource?: Resource
    /** As `UserGrant.roles`, each with its generation. */
    readonly roles: readonly UserGrantRole[]
  }
}

/** The roles of a grant, or their expiry, were changed. */
export const UserGrantUpdated = event('user_grant.updated', grant)
export interface UserGrantUpdated extends z.infer<typeof UserGrantUpdated> {
  /** The new values, with all roles. */
  readonly data: UserGrantAdded['data']
}

/** A grant was suspended: none of its roles counts. */
export const UserGrantDeactivated = event('user_grant.deactivated', ids)
export interface UserGrantDeactivated extends z.infer<typeof UserGrantDeactivated> {
  /** The grant. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'>
}

/** A grant was resumed: its roles count again. */
export const UserGrantReactivated = event('user_grant.reactivated', ids)
export interface UserGrantReactivated extends z.infer<typeof UserGrantReactivated> {
  /** The grant. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'>
}

/** A grant was removed, and all its roles with it. */
export const UserGrantRemoved = event('user_grant.removed', ids)
export interface UserGrantRemoved extends z.infer<typeof UserGrantRemoved> {
  /** The grant. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'>
}

/** Any event of a user grant's stream. */
export const UserGrantEvent = z.discriminatedUnion('type', [
  UserGrantAdded,
  UserGrantUpdated,
  UserGrantDeactivated,
  UserGrantReactivated,
  UserGrantRemoved,
])
export type UserGrantEvent =
  | UserGrantAdded
  | UserGrantUpdated
  | UserGrantDeactivated
  | UserGrantReactivated
  | UserGrantRemoved
