import type { Caller } from '../index.js'
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
