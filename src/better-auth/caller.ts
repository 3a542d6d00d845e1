import { checkOptions, OBJECT, TEXT } from '../check-options.js'
import { type AccessChecks, type Caller, IamFailure } from '../index.js'
import { isMember, type Tables } from './members.js'

/** What `betterAuth` returns, as far as claviger uses it. */
export interface AuthServer {
  /** The context of better-auth, which has its tables. */
  readonly $context: Promise<{
    /** The tables of the host. */
    readonly adapter: Tables
  }>
  /** The functions of better-auth. */
  readonly api: {
    /** Returns the session of a request. */
    readonly getSession: (input: {
      /** The headers of the request, with the cookie of the session. */
      readonly headers: Headers
      /** How the session is read. */
      readonly query: {
        /** Reads the database, also with `cookieCache`. */
        readonly disableCookieCache: true
      }
    }) => Promise<{
      /** The row of the session. */
      readonly session: object
    } | null>
  }
}

/**
 * Returns the function that finds the caller of a request: for `authenticate` of the console and of the transport, and
 * for your routes. The caller is the user of the session, in its active organization. Undefined without a session,
 * without an active organization, for a user who is no longer a member of it, and for a session that a provider of
 * another organization began. It asks the database, also with `cookieCache`.
 *
 * @example
 * const sessionOf = callerOf(auth)
 * const caller = await sessionOf(request.headers) // { userId, orgId }
 */
export const callerOf =
  (auth: AuthServer) =>
  async (headers: Headers): Promise<Caller | undefined> => {
    const found = await auth.api.getSession({ headers, query: { disableCookieCache: true } })
    const field = (name: string): string | undefined => {
      const value: unknown = found && Reflect.get(found.session, name)
      return typeof value === 'string' ? value : undefined
    }
    const [userId, orgId] = [field('userId'), field('activeOrganizationId')]
    if (userId === undefined || orgId === undefined) return undefined
    if ((field('signedInOrgId') ?? orgId) !== orgId) return undefined
    const { adapter } = await auth.$context
    return (await isMember(adapter, orgId, userId)) ? { userId, orgId } : undefined
  }

/** The project whose permissions `guardOf` asks for. */
export interface GuardOptions {
  /** The library. */
  readonly iam: {
    /** The `access` of an `Iam`. */
    readonly access: Pick<AccessChecks, 'of'>
  }
  /** The `id` of the project. */
  readonly projectId: string
}

/** Returns the caller of a request who has a permission. */
export type Guard = (
  headers: Headers,
  permission: string,
  place?: {
    /** The organization whose project it is, for users who work for others. Default: the caller's own. */
    readonly projectOrgId?: string | undefined
    /** An object of yours in the project. Default: the whole project. */
    readonly resource?: string | undefined
  },
) => Promise<Caller>

/**
 * Returns the guard of your routes: the caller of a request, as `callerOf` finds it, who has a permission. The guard
 * throws an `IamFailure`: 401 without a caller, and 403 with the reasons.
 *
 * @throws TypeError when an option is missing, unknown or of a wrong type
 * @example
 * const guard = guardOf(auth, { iam, projectId: 'invoicing' })
 * const caller = await guard(request.headers, 'invoice.approve')
 */
export const guardOf = (auth: AuthServer, options: GuardOptions): Guard => {
  checkOptions('guardOf', options, { required: { iam: OBJECT, projectId: TEXT } })
  const { iam, projectId } = options
  const sessionOf = callerOf(auth)
  return async (headers, permission, place = {}) => {
    const caller = await sessionOf(headers)
    if (!caller) throw new IamFailure({ kind: 'Unauthenticated' })
    await iam.access.of({ ...place, ...caller, projectId }).require(permission)
    return caller
  }
}
