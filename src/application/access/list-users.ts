import { err, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { exists } from '../../domain/aggregate.js'
import { projectRoles } from '../../domain/project-role/aggregate.js'
import {
  listOf,
  OrgId,
  onlyOnce,
  ProjectId,
  Resource,
  RoleKey,
  RolePermission,
  UserId,
} from '../../domain/values.js'
import type { RoleOfUser, UserRoles, UsersQuery } from '../../ports/access-reads.js'
import { getOrAdd } from '../../projections/rows.js'
import { type InvalidArgument, invalid } from '../errors/errors.js'
import type { AdmittedCall } from '../method/context.js'
import type { PermissionName, RoleKeyName } from '../method/names.js'
import {
  type AccessListInput,
  type AccessPage,
  accessListFields,
  readAccessPage,
} from '../reading/pages.js'
import { type Streams, streamsAt } from '../recording/streams.js'
import type { Runtime } from '../runtime.js'

/** An input of a list of roles that users have. */
export interface RoleListInput extends AccessListInput {
  /** Only roles with this key. Default: all roles. */
  readonly roleKey?: RoleKeyName | undefined
  /** Only roles that have this permission, or had it `at` that time: 1 to 100 characters. Default: all roles. */
  readonly permission?: PermissionName | undefined
}

/** The fields of a {@link RoleListInput}. */
export const roleListFields = {
  roleKey: z.optional(RoleKey),
  permission: z.optional(RolePermission),
  ...accessListFields,
}

/** Which users of the organization to list, with which of their roles. */
export const UsersInput = z.strictObject({
  userIds: z.optional(listOf(UserId, 1, 1000).check(onlyOnce((userId: UserId) => userId, []))),
  projectId: z.optional(ProjectId),
  projectOrgId: z.optional(OrgId),
  resource: z.optional(Resource),
  ...roleListFields,
})
export interface UsersInput extends RoleListInput {
  /** Only these users: 1 to 1,000 ids, without duplicates. Default: all users. */
  readonly userIds?: readonly string[] | undefined
  /** Only roles of projects with this `id`, of any organization. Default: all projects. */
  readonly projectId?: string | undefined
  /** Only roles of projects of this organization. Default: all organizations, the user's own among them. */
  readonly projectOrgId?: string | undefined
  /**
   * Only roles that count on this resource: on it, or on the whole project. 1 to 200 characters (code points); needs a
   * `projectId`. Default: all roles, each with its `resource`.
   */
  readonly resource?: string | undefined
}

/** The users of the organization for whom roles count. */
export const listUsers = async (
  runtime: Runtime,
  call: AdmittedCall,
  input: z.output<typeof UsersInput>,
): Promise<Result<AccessPage<UserRoles>, InvalidArgument>> => {
  const { orgId } = call
  const { pageSize: _, pageToken: __, at, ...filters } = input
  if (filters.resource !== undefined && filters.projectId === undefined)
    return err(invalid('resource', 'needs a projectId'))
  return readAccessPage(runtime, call, {
    method: 'users',
    input,
    keyLength: 1,
    keyOf: ({ userId }: UserRoles): readonly [string] => [userId],
    read: async (page: Omit<UsersQuery, 'orgId'>) => {
      const query = { orgId, ...filters, ...page }
      const found = await runtime.query(call, { method: 'users', args: [query] })
      if (page.at === undefined) return found
      const named = namedThen(streamsAt(runtime.store, orgId, page.at))
      const items = found.items.map(async ({ userId, roles }) => ({
        userId,
        roles: await Promise.all(roles.map(named)),
      }))
      return { ...found, items: await Promise.all(items) }
    },
  })
}

/** Shows a role with its name of that time, which only the log has. Many users have the same few roles. */
const namedThen = (streams: Streams): ((role: RoleOfUser) => Promise<RoleOfUser>) => {
  const names = new Map<string, Promise<string>>()
  const nameOf = async ({ projectOrgId, projectId, roleKey, displayName }: RoleOfUser) => {
    const ids = { projectId: ProjectId.parse(projectId), roleKey: RoleKey.parse(roleKey) }
    const { state } = await streams.read(projectRoles, ids, { orgId: projectOrgId })
    // It was removed in the same millisecond, after the read of the read model.
    return exists(state) ? state.displayName : displayName
  }
  return async (role) => {
    const key = JSON.stringify([role.projectOrgId, role.projectId, role.roleKey])
    return { ...role, displayName: await getOrAdd(names, key, () => nameOf(role)) }
  }
}
