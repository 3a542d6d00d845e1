import * as z from 'zod/mini'
import { type UserGrant, userGrants } from '../../domain/user-grant/aggregate.js'
import {
  listOf,
  MAX_GRANTED_ROLES,
  OrgId,
  onlyOnce,
  ProjectId,
  Resource,
  RoleKey,
  UserId,
} from '../../domain/values.js'
import { expiry, roleKeys } from '../method/input.js'
import { type GrantFilter, type ListOptions, listFields, type TextFilter } from '../reading/list.js'

/** Names a grant of roles of one project to one user. */
export interface UserGrantInput {
  /** Your id of the user: 1 to 200 characters (code points). It stays in the log, so prefer an opaque id. */
  readonly userId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. Default: the organization of the context. */
  readonly projectOrgId?: string | undefined
  /**
   * The resource that the roles are given on, by your own id such as `workspace:42`: 1 to 200 characters (code points).
   * Default: the whole project.
   */
  readonly resource?: string | undefined
}

/** A role to give to a user. */
export interface UserRoleInput {
  /** Key of a role that the project has. */
  readonly roleKey: string
  /**
   * When the role expires, to the millisecond: in the future, unless the user has the role with this very end, and at
   * most in the year 9999. Absent: never.
   */
  readonly expiresAt?: Date | undefined
}

/** A grant to a user, and all its roles. */
export interface UserGrantRolesInput extends UserGrantInput {
  /** 1 to 400 roles, no key twice. */
  readonly roles: readonly UserRoleInput[]
}

/** A grant to a user, and the roles to revoke. */
export interface RemoveUserRolesInput extends UserGrantInput {
  /** 1 to 400 keys, without duplicates. */
  readonly roleKeys: readonly string[]
}

const UserRoleInput = z.strictObject({ roleKey: RoleKey, expiresAt: z.optional(expiry) })

/** Schema of a {@link UserGrantRolesInput}. */
export const UserGrantRolesInput = z.extend(userGrants.ids, {
  roles: listOf(UserRoleInput, 1, MAX_GRANTED_ROLES).check(
    onlyOnce(({ roleKey }) => roleKey, ['roleKey']),
  ),
})
export type ParsedUserGrant = z.output<typeof UserGrantRolesInput>

/** Schema of a {@link RemoveUserRolesInput}. */
export const RemoveUserRolesInput = z.extend(userGrants.ids, {
  roleKeys,
})

/** Names a user. */
export const UserInput = z.strictObject({ userId: UserId })
export interface UserInput {
  /** Your id of the user: 1 to 200 characters (code points). */
  readonly userId: string
}

/** Names a resource of a project. */
export const ResourceInput = z.strictObject({
  projectId: ProjectId,
  projectOrgId: z.optional(OrgId),
  resource: Resource,
})
export interface ResourceInput {
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. Default: the organization of the context. */
  readonly projectOrgId?: string | undefined
  /** Your id of the resource: 1 to 200 characters (code points). */
  readonly resource: string
}

/** Which user grants to list, and in which order. */
export const ListUserGrantsInput = z.strictObject(listFields(userGrants))
export interface ListUserGrantsInput extends ListOptions<UserGrant> {
  /** Conditions, which must all hold. Default: every grant of the organization. */
  readonly filter?:
    | (GrantFilter & {
        /** Condition on the user. */
        readonly userId?: TextFilter | undefined
        /** Condition on the resource, which is empty for the whole project. */
        readonly resource?: TextFilter | undefined
        /** Only grants in this state; both when absent. */
        readonly state?: 'active' | 'inactive' | undefined
      })
    | undefined
}
