import * as z from 'zod/mini'
import { type UserGrant, type UserGrantIds, userGrants } from '../../domain/user-grant/aggregate.js'
import {
  decideUserGrant,
  type UserGrantChange,
  type UserOfProject,
} from '../grant-rules/decide-user-grant.js'
import type { ImportProgress, ImportReport } from '../import-rows.js'
import type { LongContext } from '../method/context.js'
import { Rows, targetOf } from '../method/input.js'
import {
  type BatchWrite,
  batchWrite,
  type LongWrite,
  longWrite,
  type Read,
  type Write,
} from '../method/method.js'
import { get, list, type Page } from '../reading/list.js'
import type { Runtime } from '../runtime.js'
import { grantWritesOf } from '../writing/write-grant.js'
import type { ImportUserGrantsInput } from './import-user-grants.js'
import type { RemovedOfResource, RemovedOfUser } from './remove-all.js'
import {
  ListUserGrantsInput,
  RemoveUserRolesInput,
  ResourceInput,
  type UserGrantInput,
  UserGrantRolesInput,
  UserInput,
} from './user-grant-input.js'

/**
 * Grants of roles to users, for a whole project or on one resource of it: a user has one grant for each. A grant belongs
 * to the organization of the user. The project belongs to the same organization, or to one that granted it to this one,
 * see `projectGrants`. Removing a project removes its grants.
 */
export interface UserGrants {
  /**
   * Gives a user roles of a project. `AlreadyExists` when the user has a current grant of the project; `NotFound` for a
   * role that the project lacks or that the organization was not granted.
   *
   * @example
   * const expiresAt = new Date('2027-01-01T00:00:00Z')
   * await iam.userGrants.add({ userId: 'bob', projectId, roles: [{ roleKey: 'editor', expiresAt }] }, context)
   */
  readonly add: Write<UserGrantRolesInput, UserGrantIds>
  /**
   * Gives a user roles of a project and keeps those that the user has: like `addRoles`, and like `add` when there is no
   * grant. For a role that the user has, `expiresAt` is replaced.
   *
   * @example
   * await iam.userGrants.give({ userId: 'bob', projectId, roles: [{ roleKey: 'editor' }] }, context)
   */
  readonly give: Write<UserGrantRolesInput, UserGrantIds>
  /** Replaces the roles. A role that was revoked since is given again. */
  readonly update: Write<UserGrantRolesInput, UserGrantIds>
  /** Adds roles and keeps the others. For a role that the user has, `expiresAt` is replaced. */
  readonly addRoles: Write<UserGrantRolesInput, UserGrantIds>
  /** Revokes roles and keeps the others. Revoking the last role removes the grant. */
  readonly removeRoles: Write<RemoveUserRolesInput, UserGrantIds>
  /** Suspends the grant: none of its roles counts. Succeeds if it is inactive already. */
  readonly deactivate: Write<UserGrantInput, UserGrantIds>
  /** Resumes the grant: its roles count again. Succeeds if it is active already. */
  readonly reactivate: Write<UserGrantInput, UserGrantIds>
  /** Removes the grant, which revokes all its roles. */
  readonly remove: Write<UserGrantInput, UserGrantIds>
  /**
   * Removes all grants and all memberships of the user in the organization: in one append up to 400 grants, in several
   * beyond that. Everything recorded up to the returned `sequence` is removed. Also needs the permission
   * `membership.write` if there is a membership.
   */
  readonly removeAllOfUser: BatchWrite<UserInput, RemovedOfUser>
  /**
   * Removes all grants and all mappings of groups on one resource of a project, in the organization: call it when the
   * resource is gone. In one append up to 400 grants, in several beyond that. Everything recorded up to the returned
   * `sequence` is removed. Roles for the whole project stay. Also needs the permission `role_mapping.write` if there is a
   * mapping.
   *
   * @example
   * await iam.userGrants.removeAllOfResource({ projectId, resource: 'workspace:42' }, context)
   */
  readonly removeAllOfResource: BatchWrite<ResourceInput, RemovedOfResource>
  /**
   * Adds grants from a list or a stream of rows, in atomic batches. Rows that are malformed, or would change a grant,
   * are reported. Rows that exist and are equal are skipped, so an interrupted import continues when it is run again.
   * Needs its permissions for the whole organization, as rows may be about any project and resource.
   */
  readonly import: LongWrite<ImportUserGrantsInput, ImportProgress, ImportReport>
  /** Returns one grant. */
  readonly get: Read<UserGrantInput, UserGrant>
  /** Lists the organization's grants, page by page. */
  readonly list: Read<ListUserGrantsInput, Page<UserGrant>>
}

type ChangeWith<Field extends string> = Extract<UserGrantChange, Readonly<Record<Field, unknown>>>
type ChangeOfRoles = ChangeWith<'roles'> | ChangeWith<'roleKeys'>

// Loaded at their first call, so that hosts without them do not load them.
const importing = () => import('./import-user-grants.js')
const removing = () => import('./remove-all.js')

/** What the methods on many grants check before they run. The roles of each grant are checked when it is known. */
const OF_MANY = {
  permissions: [userGrants.permissions.read],
  permissionsFor: () => [{ permission: userGrants.permissions.write, roleKeys: [] }],
}

/** The methods of {@link UserGrants}, on the ports of a host. */
export default (runtime: Runtime): UserGrants => {
  const change = grantWritesOf(runtime, {
    aggregate: userGrants,
    decide: decideUserGrant,
    ids: ({ userId, projectId, projectOrgId, resource }: UserOfProject, orgId): UserGrantIds => ({
      userId,
      projectId,
      projectOrgId: projectOrgId ?? orgId,
      ...(resource !== undefined && { resource }),
    }),
  })

  const give = (method: string, type: ChangeWith<'roles'>['type']) =>
    change(method, UserGrantRolesInput, (input) => ({ ...input, type }), {
      isNew: type === 'AddUserGrant',
      namesRoles: type !== 'UpdateUserGrant',
    })

  /** The method whose input names the grant alone. */
  const set = (method: string, type: Exclude<UserGrantChange, ChangeOfRoles>['type']) =>
    change(method, userGrants.ids, (input) => ({ ...input, type }))

  return {
    add: give('userGrants.add', 'AddUserGrant'),
    give: give('userGrants.give', 'GiveUserGrant'),
    update: give('userGrants.update', 'UpdateUserGrant'),
    addRoles: give('userGrants.addRoles', 'AddUserGrantRoles'),
    removeRoles: change(
      'userGrants.removeRoles',
      RemoveUserRolesInput,
      (input) => ({ ...input, type: 'RemoveUserGrantRoles' }),
      { namesRoles: true },
    ),
    deactivate: set('userGrants.deactivate', 'DeactivateUserGrant'),
    reactivate: set('userGrants.reactivate', 'ReactivateUserGrant'),
    remove: set('userGrants.remove', 'RemoveUserGrant'),
    removeAllOfUser: batchWrite(
      runtime,
      { ...OF_MANY, method: 'userGrants.removeAllOfUser', schema: UserInput },
      async (call, input) => (await removing()).removeAllOfUser(runtime, call, input),
    ),
    removeAllOfResource: batchWrite(
      runtime,
      {
        permissions: [],
        permissionsFor: (input, orgId) => {
          const object = targetOf(userGrants)(input, orgId)
          const { read, write } = userGrants.permissions
          return [read, write].map((permission) => ({
            permission,
            ...(object && { object }),
            ...(permission === write && { roleKeys: [] }),
          }))
        },
        method: 'userGrants.removeAllOfResource',
        schema: ResourceInput,
      },
      async (call, input) => (await removing()).removeAllOfResource(runtime, call, input),
    ),
    import: longWrite(
      runtime,
      { ...OF_MANY, method: 'userGrants.import', schema: z.strictObject({ grants: Rows }) },
      async (call, input, onProgress: LongContext<ImportProgress>['onProgress']) =>
        (await importing()).importUserGrants(runtime, call, input, onProgress),
    ),
    get: get(runtime, 'userGrants.get', userGrants),
    list: list(runtime, 'userGrants.list', userGrants, ListUserGrantsInput),
  }
}
