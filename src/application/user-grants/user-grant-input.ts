import * as z from 'zod/mini'
import { userGrants } from '../../domain/user-grant/aggregate.js'
import { listOf, MAX_GRANTED_ROLES, onlyOnce, RoleKey, UserId } from '../../domain/values.js'
import type { UserGrant } from '../../ports/read-model.js'
import { date, roleKeys } from '../method/input.js'
import type { ListOptions, TextFilter } from '../reading/list.js'
import { filterBy, pageOf } from '../reading/list.js'

/** Names a grant of roles of one project to one user. */
export interface UserGrantInput {
  /** The user, as the host names them: 1 to 200 characters (code points). Stays in the log: best an opaque id. */
  readonly userId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project; the organization at hand when absent. */
  readonly projectOrgId?: string | undefined
}

/** A role to give to a user. */
export interface UserRoleInput {
  /** Key of a role that the project has. */
  readonly roleKey: string
  /**
   * The role does not count from this moment on, to the millisecond: must lie in the future unless the user has the
   * role with this very end; at most in the year 9999. Absent: no end.
   */
  readonly expiresAt?: Date | undefined
}

/** A grant to a user, and all its roles. */
export interface UserGrantRolesInput extends UserGrantInput {
  /** 1 to 400 roles, no key twice. */
  readonly roles: readonly UserRoleInput[]
}

/** A grant to a user, and the roles to take. */
export interface RemoveUserRolesInput extends UserGrantInput {
  /** 1 to 400 keys, none twice. */
  readonly roleKeys: readonly string[]
}

/** The ids of a grant to a user, as every outcome calls them. */
export interface UserGrantIds {
  /** As given. */
  readonly userId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. */
  readonly projectOrgId: string
}

/** Later times have no form in RFC 3339. */
const expiry = date.check(
  z.refine((time) => time.getUTCFullYear() <= 9999, { error: 'must be before the year 10000' }),
)

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
  /** The user, as the host names them: 1 to 200 characters (code points). */
  readonly userId: string
}

/** Which grants to users to list, in which order. */
export const ListUserGrantsInput = z.strictObject({
  filter: z._default(filterBy(userGrants), {}),
  ...pageOf(userGrants),
})
export interface ListUserGrantsInput extends ListOptions<UserGrant> {
  /** Conditions, all of which must hold; every grant of the organization when absent. */
  readonly filter?:
    | {
        /** On the user. */
        readonly userId?: TextFilter | undefined
        /** On the `id` of the project. */
        readonly projectId?: TextFilter | undefined
        /** On the organization that owns the project. */
        readonly projectOrgId?: TextFilter | undefined
        /** On the key of one of the roles. */
        readonly roleKey?: TextFilter | undefined
        /** In this state; in either when absent. */
        readonly state?: 'active' | 'inactive' | undefined
      }
    | undefined
}
