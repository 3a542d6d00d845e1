import { createAuthMiddleware, getSessionFromCtx } from 'better-auth/api'
import { deleteSessionCookie } from 'better-auth/cookies'
import type { SharedSignInOptions } from '../oidc/index.js'

type Asking = Pick<SharedSignInOptions, 'iam' | 'caller'>

/** Whether a role counts for a user in an organization. @throws Error if it cannot be read */
export const hasRole = async (
  { iam, caller }: Asking,
  userId: string,
  orgId: string,
): Promise<boolean> => {
  const context = { caller: typeof caller === 'function' ? caller(orgId) : caller, orgId }
  const roles = await iam.access.rolesOf({ userId, pageSize: 1 }, context)
  if (roles.isErr()) throw new Error('The roles of the user cannot be read', { cause: roles.error })
  return roles.value.items.length > 0
}

/** Before each request: ends a session that a provider began, if no role counts for its user any more. */
export const endWithLastRole = (asking: Asking) => ({
  matcher: () => true,
  handler: createAuthMiddleware(async (endpoint) => {
    const { session } = (await getSessionFromCtx(endpoint, { disableCookieCache: true })) ?? {}
    const orgId: unknown = session && Reflect.get(session, 'signedInOrgId')
    if (session && typeof orgId === 'string' && !(await hasRole(asking, session.userId, orgId))) {
      await endpoint.context.internalAdapter.deleteSession(session.token)
      deleteSessionCookie(endpoint)
      endpoint.context.session = null
    }
    // A cached session would outlive this one.
    return { context: { query: { ...endpoint.query, disableCookieCache: true } } }
  }),
})
