import * as z from 'zod/mini'
import { command } from '../message.js'
import {
  ExpiryTime,
  listOf,
  MAX_GRANTED_ROLES,
  OrgId,
  ProjectId,
  Resource,
  RoleKey,
  UserId,
} from '../values.js'
import type { UserGrantAdded } from './events.js'

const idSchemas = {
  userId: UserId,
  projectOrgId: OrgId,
  projectId: ProjectId,
  resource: z.exactOptional(Resource),
}

const role = z.strictObject({
  roleKey: RoleKey,
  expiresAt: z.optional(ExpiryTime),
  roleSince: z.int(),
  grantSince: z.optional(z.int()),
})

const grant = { ...idSchemas, roles: listOf(role, 1, MAX_GRANTED_ROLES) }

/** Gives a user roles of a project. */
export const AddUserGrant = command('AddUserGrant', grant)
export interface AddUserGrant extends z.infer<typeof AddUserGrant> {
  /** The new grant. */
  readonly data: UserGrantAdded['data']
}

/** Replaces the roles of a grant. */
export const UpdateUserGrant = command('UpdateUserGrant', grant)
export interface UpdateUserGrant extends z.infer<typeof UpdateUserGrant> {
  /** The grant, and its new roles. */
  readonly data: UserGrantAdded['data']
}

/** Adds roles to a grant. For a role that it has, `expiresAt` is replaced. */
export const AddUserGrantRoles = command('AddUserGrantRoles', grant)
export interface AddUserGrantRoles extends z.infer<typeof AddUserGrantRoles> {
  /** The grant, and the roles to add. */
  readonly data: UserGrantAdded['data']
}

/** Revokes roles. Revoking the last role removes the grant. */
export const RemoveUserGrantRoles = command('RemoveUserGrantRoles', {
  ...idSchemas,
  roleKeys: listOf(RoleKey, 1, MAX_GRANTED_ROLES),
})
export interface RemoveUserGrantRoles extends z.infer<typeof RemoveUserGrantRoles> {
  /** The grant, and the roles to revoke. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'> & {
    /** 1 to 400 keys. */
    readonly roleKeys: readonly RoleKey[]
  }
}

/** Suspends a grant: none of its roles counts. */
export const DeactivateUserGrant = command('DeactivateUserGrant', idSchemas)
export interface DeactivateUserGrant extends z.infer<typeof DeactivateUserGrant> {
  /** The grant. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'>
}

/** Resumes a grant: its roles count again. */
export const ReactivateUserGrant = command('ReactivateUserGrant', idSchemas)
export interface ReactivateUserGrant extends z.infer<typeof ReactivateUserGrant> {
  /** The grant. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'>
}

/** Removes a grant, which revokes all its roles. */
export const RemoveUserGrant = command('RemoveUserGrant', idSchemas)
export interface RemoveUserGrant extends z.infer<typeof RemoveUserGrant> {
  /** The grant. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'>
}

/** Any command of a user grant. */
export const UserGrantCommand = z.discriminatedUnion('type', [
  AddUserGrant,
  UpdateUserGrant,
  AddUserGrantRoles,
  RemoveUserGrantRoles,
  DeactivateUserGrant,
  ReactivateUserGrant,
  RemoveUserGrant,
])
export type UserGrantCommand =
  | AddUserGrant
  | UpdateUserGrant
  | AddUserGrantRoles
  | RemoveUserGrantRoles
  | DeactivateUserGrant
  | ReactivateUserGrant
  | RemoveUserGrant
