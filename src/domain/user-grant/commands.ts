import * as z from 'zod/mini'
import { command } from '../message.js'
import {
  ExpiryTime,
  listOf,
  MAX_GRANTED_ROLES,
  OrgId,
  ProjectId,
  RoleKey,
  UserId,
} from '../values.js'
import type { UserGrantAdded } from './events.js'

const ids = { userId: UserId, projectOrgId: OrgId, projectId: ProjectId }

const role = z.strictObject({
  roleKey: RoleKey,
  expiresAt: z.optional(ExpiryTime),
  roleSince: z.int(),
  grantSince: z.optional(z.int()),
})

const grant = { ...ids, roles: listOf(role, 1, MAX_GRANTED_ROLES) }

/** Gives a user roles of a project. */
export const AddUserGrant = command('AddUserGrant', grant)
export interface AddUserGrant extends z.infer<typeof AddUserGrant> {
  /** The new grant. */
  readonly data: UserGrantAdded['data']
}

/** Replaces the roles of a grant. */
export const UpdateUserGrant = command('UpdateUserGrant', grant)
export interface UpdateUserGrant extends z.infer<typeof UpdateUserGrant> {
  /** Which grant, and its new roles. */
  readonly data: UserGrantAdded['data']
}

/** Adds roles to a grant; a role that it has gets the end that is given. */
export const AddUserGrantRoles = command('AddUserGrantRoles', grant)
export interface AddUserGrantRoles extends z.infer<typeof AddUserGrantRoles> {
  /** Which grant, and the roles to add. */
  readonly data: UserGrantAdded['data']
}

/** Takes roles; with the last one the grant is removed. */
export const RemoveUserGrantRoles = command('RemoveUserGrantRoles', {
  ...ids,
  roleKeys: listOf(RoleKey, 1, MAX_GRANTED_ROLES),
})
export interface RemoveUserGrantRoles extends z.infer<typeof RemoveUserGrantRoles> {
  /** Which grant, and the roles to take. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'> & {
    /** 1 to 400 keys. */
    readonly roleKeys: readonly RoleKey[]
  }
}

/** Makes no role of a grant count. */
export const DeactivateUserGrant = command('DeactivateUserGrant', ids)
export interface DeactivateUserGrant extends z.infer<typeof DeactivateUserGrant> {
  /** Which grant. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'>
}

/** Makes the roles of a grant count again. */
export const ReactivateUserGrant = command('ReactivateUserGrant', ids)
export interface ReactivateUserGrant extends z.infer<typeof ReactivateUserGrant> {
  /** Which grant. */
  readonly data: Omit<UserGrantAdded['data'], 'roles'>
}

/** Takes all roles of a grant. */
export const RemoveUserGrant = command('RemoveUserGrant', ids)
export interface RemoveUserGrant extends z.infer<typeof RemoveUserGrant> {
  /** Which grant. */
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
