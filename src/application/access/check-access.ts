import { err, ok, type Result, type ResultAsync } from 'neverthrow'
import * as z from 'zod/mini'
import { userGrants } from '../../domain/user-grant/aggregate.js'
import { RoleKey, RolePermission } from '../../domain/values.js'
import type { FoundAccess } from '../../ports/access-reads.js'
import type { Position } from '../../ports/event-store.js'
import { type AccessDenied, invalid, type ReadError } from '../errors/errors.js'
import {
  type AccessCheck,
  hasRoleOnAny,
  judgeAccess,
  needsRoleOnResource,
} from '../grant-rules/judge-access.js'
import type { AdmittedCall, Context } from '../method/context.js'
import { date, mayBeLeftOut, momentOf } from '../method/input.js'
import type { PermissionName, RoleKeyName } from '../method/names.js'
import { requireCheckpoint } from '../reading/query.js'
import type { Runtime } from '../runtime.js'
import type { AccessIds } from './past-access.js'

/** Which access to check, and as of when. */
export const CheckAccessInput = z.extend(userGrants.ids, {
  roleKey: mayBeLeftOut(RoleKey),
  permission: mayBeLeftOut(RolePermission),
  at: mayBeLeftOut(date),
})

interface CheckedUser {
  /** Your id of the user: 1 to 200 characters (code points). */
  readonly userId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. Default: the organization of the context. */
  readonly projectOrgId?: string | undefined
  /**
   * Your id of the resource, such as `workspace:42`: 1 to 200 characters (code points). Roles that were given for the
   * whole project or for exactly this resource count. Absent: only roles for the whole project count.
   */
  readonly resource?: string | undefined
}

/**
 * Which access to check. With a `roleKey`: whether the user has that role. With a `permission`: whether a role of the
 * user has it. Without both: whether the login rules of the project let the user in, for which a role on any resource is
 * a role of the project.
 */
export type CheckAccessInput = CheckedUser & {
  /** A time in the past: the answer is as of the end of this millisecond. Default: now. */
  readonly at?: Date
} & (
    | {
        /** The role to check. */
        readonly roleKey: RoleKeyName
        /** Absent when a role is checked. */
        readonly permission?: never
      }
    | {
        /** Absent when a permission is checked. */
        readonly roleKey?: never
        /** The permission to check, such as `invoice.approve`: 1 to 100 characters. */
        readonly permission: PermissionName
      }
    | {
        /** Absent when the login rules are checked. */
        readonly roleKey?: never
        /** Absent when the login rules are checked. */
        readonly permission?: never
      }
  )

/** Which access to explain, and as of when. */
export const ExplainAccessInput = z.extend(userGrants.ids, {
  roleKey: RoleKey,
  at: z.optional(date),
})
export interface ExplainAccessInput extends CheckedUser {
  /** The role to explain. */
  readonly roleKey: RoleKeyName
  /** A time in the past: the answer is as of the end of this millisecond. Default: now. */
  readonly at?: Date | undefined
}

/** The type of each property of a question, if it is given. */
export interface QuestionFields extends Omit<CheckedUser, 'projectOrgId' | 'resource'> {
  readonly projectOrgId: string | undefined
  readonly resource: string | undefined
  readonly at: Date
  readonly roleKey: string
  readonly permission: string
}

/**
 * The properties of a question that are unknown, or undefined where that is not allowed. Such a question does not
 * compile.
 */
export type Misread<Question, Known = QuestionFields> = {
  // As lists of one, because `any` matches both.
  readonly [Name in keyof Question as [Required<Question>[Name]] extends [Known[Name & keyof Known]]
    ? never
    : Name]: never
}

/**
 * Checks the access of one user to one project. `roleKey`, `permission` and `at` must not be undefined: without them
 * the question is a different one, whose answer may be "yes".
 */
export type AskAccess<Also = never> = <Question extends CheckAccessInput>(
  input: Question & Misread<Question>,
  context: Context,
) => ResultAsync<AccessCheck, ReadError | Also>

/** Answers a {@link CheckAccessInput}: the present from the read model, the past from the log. */
export const checkAccess = async (
  runtime: Runtime,
  call: AdmittedCall,
  input: z.output<typeof CheckAccessInput>,
): Promise<Result<AccessCheck, ReadError>> => {
  const { orgId } = call
  const { userId, projectId, projectOrgId = orgId, resource, roleKey, permission, at } = input
  if (roleKey !== undefined && permission !== undefined)
    return err(invalid('permission', 'must not be given with roleKey: make two checks'))
  const query = { orgId, userId, projectOrgId, projectId, resource }
  const moment = momentOf(at, runtime.now())
  if (moment.isErr()) return err(moment.error)
  const { at: until, now } = moment.value
  const question = { isOwn: projectOrgId === orgId, roleKey, permission, now }
  const found =
    until === undefined
      ? await runtime.query(call, { method: 'access', args: [query] })
      : await pastAccess(runtime, call, query, until)
  if (!found.project && until === undefined) await requireCheckpoint(runtime, call)
  if (!needsRoleOnResource(found, question)) return ok(judgeAccess(found, question))
  const hasRoleOnResource = await hasRoleOnAny(runtime, call, { ...query, ...moment.value })
  return ok(judgeAccess(found, { ...question, hasRoleOnResource }))
}

/** Loads what replays the log at the first question about the past, so that other hosts do not load it. */
const pastAccess = async (
  runtime: Runtime,
  call: AdmittedCall,
  query: AccessIds,
  until: Position,
): Promise<FoundAccess> => {
  const { foundIn, replayAccess } = await import('./past-access.js')
  return foundIn(await replayAccess(runtime, call, query, { until }), query)
}

/** Like {@link checkAccess}, but an error when the access is not allowed. */
export const requireAccess = async (
  ...args: Parameters<typeof checkAccess>
): Promise<Result<AccessCheck, ReadError | AccessDenied>> =>
  (await checkAccess(...args)).andThen((answer) => {
    const { allowed, reasons, roleKeys } = answer
    return allowed ? ok(answer) : err({ kind: 'AccessDenied' as const, reasons, roleKeys })
  })
