import { err, ok, ResultAsync } from 'neverthrow'
import * as z from 'zod/mini'
import { checkOptions, type KnownOptions, milliseconds, SIGNAL } from '../../check-options.js'
import { exists } from '../../domain/aggregate.js'
import { projectRoles } from '../../domain/project-role/aggregate.js'
import { userGrants } from '../../domain/user-grant/aggregate.js'
import {
  fieldOf,
  OrgId,
  PERMISSIONS,
  type Permission,
  ProjectId,
  Resource,
  UserId,
} from '../../domain/values.js'
import type {
  HeldRole,
  HeldRolesQuery,
  Holder,
  HoldersQuery,
  UserRoles,
} from '../../ports/access-reads.js'
import { keyOfHeldRole, keyOfHolder } from '../../projections/row-order.js'
import { type AccessDenied, invalid, type ReadError } from '../errors/errors.js'
import { type Target, targetOf } from '../method/input.js'
import { isPermitted, type Read, read } from '../method/method.js'
import {
  type AccessListInput,
  type AccessPage,
  accessListFields,
  readAccessPage,
} from '../reading/pages.js'
import { type Streams, streamsAt } from '../recording/streams.js'
import type { Runtime } from '../runtime.js'
import {
  type AskAccess,
  CheckAccessInput,
  checkAccess,
  ExplainAccessInput,
  requireAccess,
} from './check-access.js'
import type { AccessExplanation } from './explain-access.js'
import { listUsers, type RoleListInput, roleListFields, UsersInput } from './list-users.js'
import type { LiveChecks, LiveOptions } from './live-checks.js'
import { type Scope, ScopesOfInput, scopesOf } from './scopes.js'
import { type AccessOf, type UserAccess, userAccess } from './user-access.js'

/** The user whose roles to list. */
export const RolesOfInput = z.strictObject({
  userId: UserId,
  projectId: z.optional(ProjectId),
  resource: z.optional(Resource),
  ...accessListFields,
})
export interface RolesOfInput extends AccessListInput {
  /** Your id of the user: 1 to 200 characters (code points). */
  readonly userId: string
  /** Only projects with this `id`, of any organization. Default: all. */
  readonly projectId?: string | undefined
  /**
   * Only roles that count on this resource: on it, or on the whole project. 1 to 200 characters (code points). Default:
   * all roles, each with its `resource`.
   */
  readonly resource?: string | undefined
}

/** Which users with roles to list, and as of when. */
export const WhoHasInput = z.strictObject({
  projectId: z.optional(ProjectId),
  projectOrgId: z.optional(OrgId),
  resource: z.optional(Resource),
  userId: z.optional(UserId),
  ...roleListFields,
})
export interface WhoHasInput extends RoleListInput {
  /** The `id` of a project of the organization, or of `projectOrgId`. Default: all of its projects. */
  readonly projectId?: string | undefined
  /**
   * The organization that owns the projects; the result then has only the users of the organization of the call.
   * Default: that organization owns them, and the result has users of all organizations.
   */
  readonly projectOrgId?: string | undefined
  /**
   * Only roles that count on this resource of that project: on it, or on the whole project. 1 to 200 characters (code
   * points). Default: all roles, each with its `resource`.
   */
  readonly resource?: string | undefined
  /** One user, of any organization: 1 to 200 characters (code points). Default: all users. */
  readonly userId?: string | undefined
}

/**
 * Checks and lists the roles that users have through grants and through mappings of groups. A role counts while the
 * user's grant has it, it has not expired, and the grant, the project and (if another organization owns the project)
 * the project's grant are active. It also counts through a group that the user was last reported in: while a mapping of
 * the group has it, the report is not older than `validFor`, and the provider, the project and the project's grant are
 * active. An unknown user, project or role is not an error: the answer is "no".
 */
export interface AccessChecks {
  /**
   * Checks whether a user of the organization has a role, or a permission through a role, or may log in to the project;
   * and if not, why. A "no" is a value, not an error: to guard something, use `require`.
   *
   * @example
   * const checked = await iam.access.check({ userId: 'bob', projectId, roleKey: 'editor' }, context)
   * if (checked.isErr() || !checked.value.allowed) return response.status(403).end()
   */
  readonly check: AskAccess
  /**
   * Like `check`, but returns the error `AccessDenied` when the access is not allowed. It does not throw: use `orThrow`
   * or look at the result, otherwise nothing is guarded.
   *
   * @example
   * await orThrow(iam.access.require({ userId: 'bob', projectId, roleKey: 'editor' }, context))
   */
  readonly require: AskAccess<AccessDenied>
  /**
   * Explains why a role counts for a user of the organization, or does not: the result of `check`, and the changes that
   * led to it. Also needs the permission `event.read`.
   *
   * @example
   * const why = await iam.access.explain({ userId: 'bob', projectId, roleKey: 'editor' }, context)
   * if (why.isOk()) for (const { time, type } of why.value.because) console.log(time, type)
   */
  readonly explain: Read<ExplainAccessInput, AccessExplanation>
  /**
   * Lists the roles that count for a user of the organization, or counted `at` a time in the past, sorted by
   * `projectOrgId`, `projectId`, `resource` (the whole project first) and `roleKey`, with their display fields of that
   * time. A role on one resource has its `resource`, and counts only there. A role that the user has in several ways is
   * one item for each way, the grant first.
   *
   * @example
   * const held = await iam.access.rolesOf({ userId: 'bob' }, context)
   * if (held.isOk()) console.log(held.value.items.map(({ roleKey }) => roleKey))
   */
  readonly rolesOf: Read<RolesOfInput, AccessPage<HeldRole>>
  /**
   * Lists the users, of all organizations, for whom roles of one or all projects of the organization count, or counted
   * `at` a time in the past. Sorted by `roleKey`, `orgId`, `resource` (the whole project first), way (grants before
   * groups) and `userId`; for all projects, by `projectId` first. A role on one resource has its `resource`, and counts
   * only there. A user is one item for each role and resource, and for each way to have it. With `projectOrgId`: the
   * users of the organization itself, who have roles of a project that was granted to it.
   *
   * @example
   * const at = new Date('2026-03-31T23:59:59Z')
   * const review = await iam.access.whoHas({ projectId, roleKey: 'editor', at }, context)
   */
  readonly whoHas: Read<WhoHasInput, AccessPage<Holder>>
  /**
   * Lists where a user of the organization has a permission or a role, or had it `at` a time in the past: each project
   * once, sorted by `projectOrgId` and `projectId`. To select the rows that the user may see.
   *
   * @example
   * const scopes = await orThrow(iam.access.scopesOf({ userId: 'bob', permission: 'invoice.read' }, context))
   * const projectIds = scopes.items.map(({ projectId }) => projectId)
   */
  readonly scopesOf: Read<ScopesOfInput, AccessPage<Scope>>
  /**
   * Lists the users of the organization for whom roles count, or counted `at` a time in the past, by grants and by
   * groups, of projects of the organization and of projects that were granted to it. A user is one item, sorted by
   * `userId`; its `roles` are those that meet the input, sorted by `projectOrgId`, `projectId`, `roleKey` and way (the
   * grant first). A role that the user has in several ways is listed once for each.
   *
   * @example
   * const people = await iam.access.users({ projectId }, context)
   * if (people.isOk()) for (const { userId, roles } of people.value.items) console.log(userId, roles.length)
   */
  readonly users: Read<UsersInput, AccessPage<UserRoles>>
  /**
   * Returns the permissions that the caller has in the whole organization, sorted by name. Calls `authorize` once for
   * each, without an object. Needs no permission.
   */
  readonly permissions: Read<PermissionsInput, CallerPermissions>
  /**
   * Makes checks that answer at once from memory, fast enough for every request. For the host itself, without a
   * permission check. Reads the whole log once, then follows it until `signal` aborts.
   *
   * @example
   * const live = await orThrow(iam.access.live({ signal }))
   * if (!live.can({ orgId, userId, projectId, roleKey: 'editor' })) return response.status(403).end()
   *
   * @returns the checks, once they have caught up; or the error when the log cannot be read
   * @throws TypeError when an option is missing, unknown or of a wrong type
   */
  readonly live: (options: LiveOptions) => ResultAsync<LiveChecks, ReadError>
  /**
   * Returns the questions about one user and one project, as a host asks them before it does something: plain promises
   * that throw. For the host itself: there is no caller, and no permission is asked.
   *
   * @example
   * const ada = iam.access.of({ userId: 'ada', orgId: 'acme', projectId: 'invoicing' })
   * await ada.require('invoice.approve') // throws an IamFailure, 403, with the reasons
   * if (await ada.can('invoice.read')) console.log('She may read')
   *
   * @throws TypeError when a field is missing, unknown or not a string
   */
  readonly of: (user: AccessOf) => UserAccess
}

/** Empty: the context names the caller and the organization. */
export const PermissionsInput = z.strictObject({})
export type PermissionsInput = Readonly<Record<string, never>>

/** The permissions of a caller. */
export interface CallerPermissions {
  /** Permissions in the whole organization, sorted by name. Permissions on single objects are not listed. */
  readonly permissions: readonly Permission[]
}

// Loaded at their first call, so that hosts without them do not load them.
const explaining = () => import('./explain-access.js')
const following = () => import('./live-checks.js')

/** @see AccessChecks */
export const accessOf = (runtime: Runtime): AccessChecks => {
  const permissions = [userGrants.permissions.read]
  const ofHost = read(
    runtime,
    { method: 'access.of', permissions: [], schema: CheckAccessInput },
    (call, input) => checkAccess(runtime, call, input),
  )
  const ofUser = { permissions, schema: CheckAccessInput, target: targetOf(userGrants) }
  return {
    check: read(runtime, { ...ofUser, method: 'access.check' }, (call, input) =>
      checkAccess(runtime, call, input),
    ),
    require: read(runtime, { ...ofUser, method: 'access.require' }, (call, input) =>
      requireAccess(runtime, call, input),
    ),
    explain: read(
      runtime,
      {
        method: 'access.explain',
        permissions: [...permissions, 'event.read'],
        schema: ExplainAccessInput,
        target: targetOf(userGrants),
      },
      async (call, input) => (await explaining()).explainAccess(runtime, call, input),
    ),
    rolesOf: read(
      runtime,
      { method: 'access.rolesOf', permissions, schema: RolesOfInput },
      (call, input) =>
        readAccessPage(runtime, call, {
          method: 'rolesOf',
          input,
          keyLength: 6,
          keyOf: keyOfHeldRole,
          read: async (page: Omit<HeldRolesQuery, 'orgId' | 'userId'>) => {
            const { orgId } = call
            const { userId, projectId, resource } = input
            const query = { orgId, userId, projectId, resource, ...page }
            const found = await runtime.query(call, { method: 'heldRoles', args: [query] })
            if (page.at === undefined) return found
            const streams = streamsAt(runtime.store, orgId, page.at)
            const items = found.items.map((role) => roleInLog(streams, role))
            return { ...found, items: await Promise.all(items) }
          },
        }),
    ),
    whoHas: read(
      runtime,
      { method: 'access.whoHas', permissions, schema: WhoHasInput, target: ofOwnRole },
      async (call, input) => {
        const { pageSize: _, pageToken: __, at: ___, projectOrgId, ...filters } = input
        if (filters.resource !== undefined && filters.projectId === undefined)
          return err(invalid('resource', 'needs a projectId'))
        const ofUsers = projectOrgId === undefined ? {} : { userOrgId: call.orgId }
        return readAccessPage(runtime, call, {
          method: 'whoHas',
          input,
          keyLength: filters.projectId === undefined ? 7 : 6,
          keyOf: keyOfHolder,
          read: (page: Omit<HoldersQuery, 'orgId'>) => {
            const query = { orgId: projectOrgId ?? call.orgId, ...ofUsers, ...filters, ...page }
            return runtime.query(call, { method: 'holders', args: [query] })
          },
        })
      },
    ),
    scopesOf: read(
      runtime,
      { method: 'access.scopesOf', permissions, schema: ScopesOfInput },
      (call, input) => scopesOf(runtime, call, input),
    ),
    users: read(
      runtime,
      { method: 'access.users', permissions, schema: UsersInput },
      (call, input) => listUsers(runtime, call, input),
    ),
    permissions: read(
      runtime,
      { method: 'access.permissions', permissions: [], schema: PermissionsInput },
      async (call) => {
        const answers = await Promise.all(
          PERMISSIONS.map((permission) => isPermitted(runtime, call, { permission })),
        )
        return ok({ permissions: PERMISSIONS.filter((_, index) => answers[index] === true) })
      },
    ),
    of: (user) => userAccess(user, ofHost),
    live: (options) => {
      checkOptions('access.live', options, LIVE_OPTIONS)
      return new ResultAsync(following().then(({ followed }) => followed(runtime, options)))
    },
  }
}

/** The role of the input, unless another organization owns it. */
const ofOwnRole: Target = (input, orgId) =>
  (fieldOf(input, 'projectOrgId') ?? orgId) === orgId
    ? targetOf(projectRoles)(input, orgId)
    : undefined

const LIVE_OPTIONS: KnownOptions = {
  required: { signal: SIGNAL },
  optional: { maxLag: milliseconds(50, 3_600_000) },
}

/** A role as the log shows it at a time: a read model has only the present. */
const roleInLog = async (streams: Streams, held: HeldRole): Promise<HeldRole> => {
  const ids = { projectId: held.projectId, roleKey: held.roleKey }
  const { state } = await streams.read(projectRoles, ids, { orgId: held.projectOrgId })
  // It was removed in the same millisecond, after the read of the read model.
  if (!exists(state)) return held
  const { displayName, group, permissions } = state
  return { ...held, displayName, group, permissions }
}
