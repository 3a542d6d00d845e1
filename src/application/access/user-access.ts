import type * as z from 'zod/mini'
import { ANY, checkOptions, type KnownOptions, TEXT, withMethods } from '../../check-options.js'
import { IamFailure, orThrow } from '../errors/to-status.js'
import type { AccessCheck } from '../grant-rules/judge-access.js'
import type { Context } from '../method/context.js'
import type { Read } from '../method/method.js'
import type { PermissionName, RoleKeyName } from '../method/names.js'
import type { CheckAccessInput } from './check-access.js'
import type { LiveChecks } from './live-checks.js'

/** A user of an organization, and the project whose roles decide. */
export interface AccessOf {
  /** Your id of the user: 1 to 200 characters (code points). */
  readonly userId: string
  /** The organization of the user. */
  readonly orgId: string
  /** The `id` of the project. */
  readonly projectId: string
  /** The organization that owns the project. Default: `orgId`. */
  readonly projectOrgId?: string | undefined
  /** The resource that the user is asked about, as in `access.check`. Default: the whole project. */
  readonly resource?: string | undefined
}

/** What a user may be asked for: a permission by its name, or a role. */
export type AskedOfUser =
  | PermissionName
  | {
      /** The key of the role. */
      readonly roleKey: RoleKeyName
    }

/** How a {@link UserAccess} answers. */
export interface UserAccessOptions {
  /** As in a context. Default: `strong`. */
  readonly consistency?: 'strong' | 'eventual'
  /** A time in the past: the answer is as of the end of this millisecond. Default: now. */
  readonly at?: Date
  /** Answers from live checks, at once and without a read. Not with `consistency` or `at`. */
  readonly live?: Pick<LiveChecks, 'check'>
  /** Ends the call early. */
  readonly signal?: AbortSignal
}

/** A method that asks about the user. */
interface Ask<Answer> {
  /** Asks whether the login rules of the project let the user in. */
  (): Promise<Answer>
  /** Asks for a permission by its name, or for a role. */
  (right: AskedOfUser, options?: UserAccessOptions): Promise<Answer>
}

/**
 * Questions about one user and one project, for the host itself: no caller, and no permission is asked. The promises
 * reject with an `IamFailure` if the question is malformed or cannot be answered, so that nothing is silently true.
 */
export interface UserAccess {
  /** Resolves if the access is allowed. Rejects with an `IamFailure` (403) that has the reasons if it is not. */
  readonly require: Ask<void>
  /** Returns whether the access is allowed. */
  readonly can: Ask<boolean>
  /** Returns whether the access is allowed, the reasons if not, and the roles and permissions that the user has. */
  readonly check: Ask<AccessCheck>
}

type QuestionArgs = [] | [asked: AskedOfUser, options?: UserAccessOptions | undefined]

/**
 * The questions about `user`.
 *
 * @param checkAccess - `access.check` without a permission
 * @throws TypeError when a field is missing, unknown or not a string
 */
export const userAccess = (
  user: AccessOf,
  checkAccess: Read<z.input<typeof CheckAccessInput>, AccessCheck>,
): UserAccess => {
  checkOptions('access.of', user, {
    required: { userId: TEXT, orgId: TEXT, projectId: TEXT },
    optional: { projectOrgId: TEXT, resource: TEXT },
  })
  const { orgId, ...named } = { ...user }

  const check = async (...args: QuestionArgs): Promise<AccessCheck> => {
    const [right, options = {}] = args
    checkOptions('A question about a user', options, QUESTION_OPTIONS)
    const { live, consistency, at, signal } = options
    if (live && (consistency !== undefined || at !== undefined))
      throw new TypeError('live answers as of now: leave consistency and at out')
    const question = args.length === 0 ? named : { ...named, ...accessIn(right) }
    if (live) return live.check({ ...question, orgId })
    const context: Context = { caller: { userId: user.userId, orgId }, consistency, signal }
    return orThrow(checkAccess({ ...question, ...(at !== undefined && { at }) }, context))
  }

  return {
    check,
    can: async (...args: QuestionArgs) => (await check(...args)).allowed,
    require: async (...args: QuestionArgs) => {
      const { allowed, reasons, roleKeys } = await check(...args)
      if (!allowed) throw new IamFailure({ kind: 'AccessDenied', reasons, roleKeys })
    },
  }
}

const QUESTION_OPTIONS: KnownOptions = {
  optional: {
    live: withMethods(['check'], 'must be live checks'),
    consistency: ANY,
    at: ANY,
    signal: ANY,
  },
}

/** @throws TypeError: a question without permission and role would ask the login rules, which may say yes */
const accessIn = (right: AskedOfUser | undefined) => {
  if (typeof right === 'string') return { permission: right }
  if (typeof right === 'object' && right?.roleKey !== undefined) return { ...right }
  throw new TypeError(
    'Ask for a permission or { roleKey }; without an argument, the login rules answer',
  )
}
