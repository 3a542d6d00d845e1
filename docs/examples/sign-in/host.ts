// A host that signs users in: its session is @fastify/session's, the sign-in is claviger's.
import cookie from '@fastify/cookie'
import formBody from '@fastify/formbody'
import session from '@fastify/session'
import type { Caller, Iam, IamError } from 'claviger'
import { openIdSignIn, type SignInRefusal, signInHandler } from 'claviger/oidc'
import fastify, { type FastifyInstance, type FastifyRequest } from 'fastify'
import { openAccounts } from './accounts.ts'
import { homePage, loginPage, refusedPage } from './pages.ts'

declare module 'fastify' {
  interface Session {
    user?: { readonly userId: string; readonly orgId: string; readonly displayName: string }
  }
}

/** What the host needs. */
export interface HostOptions {
  readonly iam: Iam
  /** The organization whose providers have buttons; others are found by the address. */
  readonly orgId: string
  /** The project that users sign in to. */
  readonly projectId: string
  /** Where browsers see the host, such as `https://app.example`. */
  readonly origin: string
  /** 32 random bytes, the same in all processes. */
  readonly key: Uint8Array
  /** At least 32 characters, the same in all processes. */
  readonly sessionSecret: string
  /** For development: providers on this machine. */
  readonly allowHttpLoopback?: boolean
}

/** Acts for the sign-in, in the organization of a provider. */
const callerIn = (orgId: string): Caller => ({
  userId: 'sign-in',
  orgId,
  permissions: ['identity_provider.read', 'identity_provider.secret.read', 'user.grant.read'],
})

const html = (status: number, body: string) =>
  new Response(body, {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    },
  })

export const openHost = async (options: HostOptions) => {
  const { iam, orgId, projectId, origin, key, sessionSecret } = options
  const accounts = openAccounts()
  const signIn = openIdSignIn({
    iam,
    key,
    caller: callerIn,
    callbackBase: `${origin}/sign-in/callback`,
    userIdOf: accounts.userIdOf,
    allowHttpLoopback: options.allowHttpLoopback === true,
    onFault: ({ during, refusal, cause }) => console.error(during, refusal.kind, cause),
  })
  const app = fastify()
  await app.register(cookie)
  app.removeAllContentTypeParsers() // only forms are posted
  await app.register(formBody)
  const secure = origin.startsWith('https:')
  await app.register(session, {
    secret: sessionSecret,
    ...(secure && { cookieName: '__Host-session' }), // no other subdomain can set such a cookie
    cookie: { secure, sameSite: 'lax' },
  })

  const showLogin = async (message?: string) => {
    const asked = { filter: { state: 'active' } } as const
    const listed = await iam.identityProviders.list(asked, { caller: callerIn(orgId) })
    return html(200, loginPage(listed.isOk() ? listed.value.items : [], message))
  }

  app.get('/', async ({ session: { user } }) => {
    if (!user) return showLogin()
    // Asked anew: a role that was removed since the sign-in is gone.
    const { userId, orgId } = user
    const { roleKeys } = await iam.access.of({ userId, orgId, projectId }).check()
    return html(200, homePage(user.displayName, roleKeys))
  })

  /** For one request, because `onSignedIn` changes its session. */
  const signInRoutes = (request: FastifyRequest) =>
    signInHandler(signIn, {
      path: '/sign-in',
      projectId,
      onSignedIn: async ({ userId, orgId, access, displayName }) => {
        if (userId === undefined) return html(403, refusedPage('Ask for an account.'))
        if (!access?.allowed) return html(403, refusedPage('Ask for a role.'))
        // A session id from before the sign-in may be known to somebody else.
        await request.session.regenerate()
        request.session.user = { userId, orgId, displayName }
        return undefined
      },
      onRefused: (refusal) =>
        refusal.kind === 'NoProviderForEmail'
          ? showLogin('No provider is known for this address.')
          : html(403, refusedPage(textOf(refusal))),
    })

  app.route({
    method: ['GET', 'POST'],
    exposeHeadRoute: false,
    url: '/sign-in*',
    handler: (request) => {
      const { method, headers, body } = request
      const sent = new Headers(
        Object.entries(headers).map(([name, value]) => [name, String(value)]),
      )
      const form = method === 'POST' ? new URLSearchParams(Object(body)) : null
      const url = `${origin}${request.url}`
      return signInRoutes(request)(new Request(url, { method, headers: sent, body: form }))
    },
  })

  app.post('/sign-out', async (request, reply) => {
    await request.session.destroy()
    return reply.redirect('/', 303)
  })

  return { app: app as FastifyInstance, accounts }
}

/** What users read; the log of the host has the kind. */
const textOf = ({ kind }: SignInRefusal | IamError): string => {
  switch (kind) {
    case 'AttemptExpired':
    case 'ProviderChanged':
      return 'This took too long, or the provider was changed: please begin again.'
    case 'DraftSignedIn':
      return 'The sign-in works. Return to the other window.'
    case 'ProviderInactive':
    case 'ProviderRemoved':
      return 'This provider is no longer in use.'
    default:
      return `Signing in failed (${kind}).`
  }
}
