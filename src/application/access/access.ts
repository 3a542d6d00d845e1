import { err, ok, type ResultAsync } from 'neverthrow'
import * as z from 'zod/mini'
import { projectRoles } from '../../domain/project-role/aggregate.js'
import { userGrants } from '../../domain/user-grant/aggregate.js'
import { PERMISSIONS, type Permission, ProjectId, RoleKey, UserId } from '../../domain/values.js'
import type { HeldRole, HeldRolesQuery, Holder, HoldersQuery } from '../../ports/access-reads.js'
import type { SortValue } from '../../ports/read-model.js'
import { invalid, type ReadError } from '../errors/errors.js'
import { type AccessCheck, judgeAccess } from '../granting/judge-access.js'
import { date, firstPositionIn, pageSize } from '../method/input.js'
import { isPermitted, type Read, read } from '../method/method.js'
import { targetOf } from '../method/target.js'
import { pageToken, readPage } from '../reading/page-token.js'
import { requireCheckpoint } from '../reading/query.js'
import type { Runtime } from '../runtime.js'
import { type LiveChecks, type LiveOptions, live } from './live.js'

/** Which access to check. */
export const CheckAccessInput = z.extend(userGrants.ids, { roleKey: z.optional(RoleKey) })
export interface CheckAccessInput {
  /** The user, as the host names them: 1 to 200 characters (code points). */
  readonly userId: string
  /** The `id` of the project. Spec: Project. */
  readonly projectId: string
  /** The organization that owns the project; the organization at hand when absent. */
  readonly projectOrgId?: string | undefined
  /** The role that is asked for; when absent, the login rules of the project are. Spec: Project role. */
  readonly roleKey?: string | undefined
}

/** Whose roles to list. */
export const RolesOfInput = z.strictObject({
  userId: UserId,
  projectId: z.optional(ProjectId),
  pageSize,
  pageToken,
})
export interface RolesOfInput extends PageInput {
  /** The user, as the host names them: 1 to 200 characters (code points). */
  readonly userId: string
  /** Of projects with this `id`, of any organization; of all when absent. Spec: Project. */
  readonly projectId?: string | undefined
}

/** Which holders of roles to list, and when. */
export const WhoHasInput = z.strictObject({
  projectId: ProjectId,
  roleKey: z.optional(RoleKey),
  at: z.optional(date),
  pageSize,
  pageToken,
})
export interface WhoHasInput extends PageInput {
  /** The `id` of the project. Spec: Project. */
  readonly projectId: string
  /** One role; all of the project when absent. Spec: Project role. */
  readonly roleKey?: string | undefined
  /** At the end of this millisecond, which must not lie in the future; as it is when absent. */
  readonly at?: Date | undefined
}

/** The page to list. */
export interface PageInput {
  /** 1 to 1,000 items; 100 when absent. */
  readonly pageSize?: number | undefined
  /** `nextPageToken` of the page before, of the same question; the first page when absent. */
  readonly pageToken?: string | undefined
}

/** A page of what was asked for. */
export interface AccessPage<Item> {
  /** At most as many as asked for, in the order of the question. */
  readonly items: readonly Item[]
  /** `pageToken` of the next page; absent on the last. */
  readonly nextPageToken?: string
}

/**
 * Who has which role, by the grants. A role counts while the user's grant has it, it has not expired, and these are
 * active: that grant, the project and, where another organization owns it, the grant of the project. What does not
 * exist is an answer here, not an error. Spec: Project, `projectRoleCheck` and `hasProjectCheck`.
 */
export interface AccessChecks {
  /**
   * Whether a role counts for a user of the organization, or the project lets the user in; and if not, why.
   *
   * @example
   * const checked = await iam.access.check({ userId: 'bob', projectId, roleKey: 'editor' }, context)
   * if (checked.isErr() || !checked.value.allowed) return response.status(403).end()
   */
  readonly check: Read<CheckAccessInput, AccessCheck>
  /**
   * The roles of a user of the organization that count, by `projectOrgId`, `projectId` and `roleKey`.
   *
   * @example
   * const held = await iam.access.rolesOf({ userId: 'bob' }, context)
   * if (held.isOk()) console.log(held.value.items.map(({ roleKey }) => roleKey))
   */
  readonly rolesOf: Read<RolesOfInput, AccessPage<HeldRole>>
  /**
   * The users of all organizations who have roles of a project of the organization that count, or counted `at` a time
   * in the past, by `roleKey`, `orgId` and `userId`.
   *
   * @example
   * const at = new Date('2026-03-31T23:59:59Z')
   * const review = await iam.access.whoHas({ projectId, roleKey: 'editor', at }, context)
   */
  readonly whoHas: Read<WhoHasInput, AccessPage<Holder>>
  /**
   * The permissions that the caller has in the organization as a whole, sorted by name: `authorize` is asked once for
   * each, without an object. Needs no permission.
   */
  readonly permissions: Read<PermissionsInput, CallerPermissions>
  /**
   * For the host itself, without a permission check: checks that are answered at once from memory, for every request.
   * Reads the whole log once, then follows it until `signal` aborts.
   *
   * @example
   * const live = await orThrow(iam.access.live({ signal }))
   * if (!live.can({ orgId, userId, projectId, roleKey: 'editor' })) return response.status(403).end()
   *
   * @returns once it has caught up; or why the log cannot be read
   * @throws TypeError when an option is missing, unknown or of a wrong type
   */
  readonly live: (options: LiveOptions) => ResultAsync<LiveChecks, ReadError>
}

/** Nothing: the context names the caller and the organization. */
export const PermissionsInput = z.strictObject({})
export type PermissionsInput = Readonly<Record<string, never>>

/** What a caller may do. */
export interface CallerPermissions {
  /** In the organization as a whole, sorted by name; permissions on single objects are not listed. */
  readonly permissions: readonly Permission[]
}

/** @see AccessChecks */
export const accessOf = (runtime: Runtime): AccessChecks => {
  const permissions = [userGrants.permissions.read]
  return {
    check: read(
      runtime,
      {
        method: 'access.check',
        permissions,
        schema: CheckAccessInput,
        target: targetOf(userGrants),
      },
      async (call, { userId, projectId, projectOrgId = call.orgId, roleKey }) => {
        const { orgId } = call
        const query = { orgId, userId, projectOrgId, projectId }
        const found = await runtime.query(call, { method: 'access', args: [query] })
        if (!found.project) await requireCheckpoint(runtime, call)
        const isOwn = projectOrgId === orgId
        return ok(judgeAccess(found, { isOwn, roleKey, now: runtime.now() }))
      },
    ),
    rolesOf: read(
      runtime,
      { method: 'access.rolesOf', permissions, schema: RolesOfInput },
      (call, { userId, projectId, pageSize, pageToken }) =>
        readPage({
          token: pageToken,
          query: [call.orgId, 'rolesOf', userId, projectId ?? null],
          isKey,
          keyOf: ({ projectOrgId, projectId, roleKey }: HeldRole) => [
            projectOrgId,
            projectId,
            roleKey,
          ],
          read: async (after) => {
            const query: HeldRolesQuery = {
              orgId: call.orgId,
              userId,
              ...(projectId !== undefined && { projectId }),
              now: runtime.now(),
              ...(after && { after }),
              limit: pageSize,
            }
            const found = await runtime.query(call, { method: 'heldRoles', args: [query] })
            if (found.items.length === 0) await requireCheckpoint(runtime, call)
            return found
          },
        }),
    ),
    whoHas: read(
      runtime,
      {
        method: 'access.whoHas',
        permissions,
        schema: WhoHasInput,
        target: targetOf(projectRoles),
      },
      async (call, { projectId, roleKey, at, pageSize, pageToken }) => {
        const now = runtime.now()
        if (at && at > now) return err(invalid('at', 'must not be in the future'))
        return readPage({
          token: pageToken,
          query: [call.orgId, 'whoHas', projectId, roleKey ?? null, at ?? null],
          isKey,
          keyOf: ({ roleKey, orgId, userId }: Holder) => [roleKey, orgId, userId],
          read: async (after) => {
            const query: HoldersQuery = {
              orgId: call.orgId,
              projectId,
              ...(roleKey !== undefined && { roleKey }),
              ...(at && { at: firstPositionIn(at) + 999n }),
              now: at ?? now,
              ...(after && { after }),
              limit: pageSize,
            }
            const found = await runtime.query(call, { method: 'holders', args: [query] })
            if (found.items.length === 0) await requireCheckpoint(runtime, call)
            return found
          },
        })
      },
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
    live: (options) => live(runtime, options),
  }
}

/** Whether `values` name a place in the order of roles or of holders. */
const isKey = (values: readonly SortValue[]): values is readonly [string, string, string] =>
  values.length === 3 && values.every((value) => typeof value === 'string')
