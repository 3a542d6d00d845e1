import type { AuthContext, BetterAuthPlugin, GenericEndpointContext } from 'better-auth'
import { createAuthEndpoint, isAPIError } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'
import { BOOLEAN, checkOptions, FUNCTION } from '../check-options.js'
import type { IamError } from '../index.js'
import {
  type OpenIdSignIn,
  openIdSignIn,
  type SharedSignInOptions,
  type SignedIn,
  type SignInRefusal,
  signInHandler,
} from '../oidc/index.js'
import { endWithLastRole, hasRole } from './last-role.js'
import { isMember } from './members.js'
import { signInPage } from './sign-in-page.js'
import { pseudonyms, userIdOf } from './users.js'

/**
 * Why nobody was signed in. `UnknownUser`: the provider vouches for a user whom the organization neither has nor
 * invited, and registers nobody. `SessionRefused`: better-auth, or a plugin of it, began no session, such as with
 * the `code` `BANNED_USER`.
 */
export type AuthRefusal =
  | SignInRefusal
  | IamError
  | { readonly kind: 'UnknownUser' }
  | {
      readonly kind: 'SessionRefused'
      /** The error code of better-auth, or the HTTP status without one; `NO_ROLE` with `requireRole`. */
      readonly code: string
    }

/** Options of the plugin: those of `openIdSignIn`, without what better-auth knows. */
export interface ClavigerAuthOptions extends SharedSignInOptions {
  /**
   * Returns the response when nobody is signed in. Default: status 403 with the kind as text, as with `signInHandler`.
   */
  readonly onRefused?:
    | ((refusal: AuthRefusal, request: Request) => Response | Promise<Response>)
    | undefined
  /**
   * Whether sessions need a role that counts in the organization. With `true`, users without one are refused, and a
   * session that a provider began ends at the first request after its user's last role: by a push of SCIM, a removal or
   * an expiry. `cookieCache` is then not used, and `caller` also needs `user.grant.read`. Default: false.
   */
  readonly requireRole?: boolean | undefined
}

/** The plugin, and the sign-in that it serves. */
export type ClavigerAuthPlugin = BetterAuthPlugin & {
  /** For the console: `testIdentityProvider: plugin.signIn.test`, `redirectUri: plugin.signIn.redirectUri`. */
  readonly signIn: OpenIdSignIn
}

/** Below the base path of better-auth: `/api/auth/claviger/sign-in`. Callbacks lie below it. */
export const SIGN_IN_PATH = '/claviger/sign-in'

/**
 * A plugin of better-auth that signs users in through the providers of claviger. It needs the plugin `organization`:
 * the id of an organization of better-auth is the `orgId` of claviger. It adds to better-auth:
 *
 * - `POST <basePath>/claviger/sign-in`, which begins a sign-in: a form of your own origin with `email`, or with `orgId`
 *   and `idpId`, and optionally `returnTo`;
 * - `GET <basePath>/claviger/sign-in`, a page with such a form. The query may name `orgId` and `idpId`, and `returnTo`;
 * - `GET <basePath>/claviger/sign-in/callback/<orgId>/<idpId>`, to which providers send browsers back. It begins a
 *   session in the organization and redirects to `returnTo`;
 * - the column `signedInOrgId` of `session`, and a unique index on `account`: migrate the database.
 *
 * A user is found by organization, issuer and subject. A user who is not linked yet is found by the address if the
 * domain is set to the provider (`emailIsOwn`). Sign-in needs a member of the organization, a pending invitation to an
 * own address, or a provider with `autoRegister`.
 *
 * @throws TypeError when an option is missing, unknown or of a wrong type; in `auth.$context` without the plugin
 *   `organization` and without a fixed `baseURL`
 * @throws RangeError when the key does not have 32 bytes
 * @example
 * const sso = claviger({ iam, key, caller: (orgId) => ({ userId: 'sign-in', orgId, permissions }) })
 * export const auth = betterAuth({ baseURL, secret, database, plugins: [organization(), sso] })
 */
export const claviger = (options: ClavigerAuthOptions): ClavigerAuthPlugin => {
  const { onRefused, requireRole, ...signInOptions } = options
  const own = { optional: { onRefused: FUNCTION, requireRole: BOOLEAN } }
  checkOptions('claviger', { onRefused, requireRole }, own)
  const pseudonymOf = pseudonyms(signInOptions.key)
  let started: AuthContext | undefined
  const context = (): AuthContext => {
    if (started) return started
    throw new TypeError('Pass the plugin claviger to betterAuth, and await auth.$context')
  }
  const signIn = openIdSignIn({
    ...signInOptions,
    redirectUri: ({ orgId, idpId }) =>
      `${context().baseURL}${SIGN_IN_PATH}/callback/${orgId}/${idpId}`,
    userIdOf: (user) => userIdOf(context(), user, pseudonymOf),
  })
  const serve = async (endpoint: GenericEndpointContext): Promise<Response> => {
    const request = requestOf(endpoint)
    const refuse = async (refusal: AuthRefusal) =>
      (await onRefused?.(refusal, request)) ?? refusedPage(refusal)
    return signInHandler(signIn, {
      path: pathOf(context()),
      ...(onRefused && { onRefused }),
      onSignedIn: async (user) => {
        const { userId, orgId } = user
        const lacksRole =
          requireRole && userId !== undefined && !(await hasRole(options, userId, orgId))
        const refusal = lacksRole ? NO_ROLE : await beginSession(endpoint, user)
        return refusal && refuse(refusal)
      },
    })(request)
  }
  return {
    id: 'claviger',
    signIn,
    schema: SCHEMA,
    ...(requireRole && { hooks: { before: [endWithLastRole(options)] } }),
    init: (created) => {
      checkContext(created)
      started = created
    },
    endpoints: {
      // `signInHandler` reads the form.
      clavigerSignIn: createAuthEndpoint(
        SIGN_IN_PATH,
        { method: 'POST', disableBody: true },
        serve,
      ),
      clavigerSignInPage: createAuthEndpoint(SIGN_IN_PATH, { method: 'GET' }, async (endpoint) => {
        const { searchParams } = new URL(requestOf(endpoint).url)
        return signInPage(pathOf(context()), Object.fromEntries(searchParams))
      }),
      clavigerCallback: createAuthEndpoint(
        `${SIGN_IN_PATH}/callback/:orgId/:idpId`,
        { method: 'GET' },
        serve,
      ),
    },
  }
}

const pathOf = ({ baseURL }: AuthContext): string =>
  `${new URL(baseURL).pathname.replace(/\/$/, '')}${SIGN_IN_PATH}`

const NO_ROLE: AuthRefusal = { kind: 'SessionRefused', code: 'NO_ROLE' }

const SCHEMA = {
  // Not an input: no request of a user sets it.
  session: { fields: { signedInOrgId: { type: 'string', required: false, input: false } } },
  // Two first sign-ins at once make one account.
  account: { fields: {}, indexes: [{ fields: ['providerId', 'accountId'], unique: true }] },
} satisfies BetterAuthPlugin['schema']

const checkContext = ({ baseURL, hasPlugin }: AuthContext): void => {
  if (!hasPlugin('organization'))
    throw new TypeError('The plugin claviger needs the plugin organization of better-auth')
  if (!baseURL) throw new TypeError('The plugin claviger needs the option baseURL of better-auth')
}

const requestOf = ({ request }: GenericEndpointContext): Request => {
  if (request) return request
  throw new TypeError('Only browsers sign in: send a request to the handler of better-auth')
}

/** Begins a session and sets its cookies; undefined unless refused. */
const beginSession = async (
  endpoint: GenericEndpointContext,
  { userId, orgId }: SignedIn,
): Promise<AuthRefusal | undefined> => {
  const { adapter, internalAdapter } = endpoint.context
  const user = userId === undefined ? null : await internalAdapter.findUserById(userId)
  if (!user) return { kind: 'UnknownUser' }
  // A user who is only invited has no organization until better-auth has taken their acceptance.
  const active = (await isMember(adapter, orgId, user.id)) && { activeOrganizationId: orgId }
  try {
    const fields = { ...active, signedInOrgId: orgId }
    const session = await internalAdapter.createSession(user.id, false, fields)
    await setSessionCookie(endpoint, { user, session }, false)
    return undefined
  } catch (thrown) {
    if (!isAPIError(thrown)) throw thrown
    return { kind: 'SessionRefused', code: thrown.body?.code ?? String(thrown.status) }
  }
}

const refusedPage = (refusal: AuthRefusal): Response => {
  const text = refusal.kind === 'SessionRefused' ? refusal.code : refusal.kind
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  return new Response(`Not signed in: ${text}`, { status: 403, headers })
}
