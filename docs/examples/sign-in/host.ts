// A host that signs users in: its session is @fastify/session's, the sign-in is claviger's.
import cookie from '@fastify/cookie'
import formBody from '@fastify/formbody'
import session from '@fastify/session'
import type { Caller, Iam, IamError } from 'claviger'
import { openIdSignIn, type SignInRefusal } from 'claviger/oidc'
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify'
import { openAccounts } from './accounts.ts'
import { homePage, loginPage, refusedPage } from './pages.ts'

declare module 'fastify' {
  interface Session {
    user?: { readonly displayName: string; readonly roleKeys: readonly string[] }
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

const ATTEMPT = 'attempt'
const CALLBACK = '/sign-in/callback'

export const openHost = async (options: HostOptions) => {
  const { iam, orgId, projectId, origin, key, sessionSecret } = options
  const secure = origin.startsWith('https:')
  const accounts = openAccounts()
  const signIn = openIdSignIn({
    iam,
    key,
    caller: callerIn,
    redirectUri: ({ orgId, idpId }) => `${origin}${CALLBACK}/${orgId}/${idpId}`,
    userIdOf: accounts.userIdOf,
    allowHttpLoopback: options.allowHttpLoopback === true,
  })
  const app = fastify()
  await app.register(cookie)
  await app.register(formBody)
  await app.register(session, { secret: sessionSecret, cookie: { secure, sameSite: 'lax' } })

  const html = (reply: FastifyReply, status: number, body: string) =>
    reply.code(status).type('text/html').send(body)

  const showLogin = async (reply: FastifyReply, message?: string) => {
    const asked = { filter: { state: 'active' } } as const
    const listed = await iam.identityProviders.list(asked, { caller: callerIn(orgId) })
    return html(reply, 200, loginPage(listed.isOk() ? listed.value.items : [], message))
  }

  app.get('/', async ({ session: { user } }, reply) =>
    user ? html(reply, 200, homePage(user.displayName, user.roleKeys)) : showLogin(reply),
  )

  app.post<{ Body: { email?: string; idpId?: string } }>('/sign-in', async ({ body }, reply) => {
    const { email = '', idpId } = body
    const provider = idpId === undefined ? { email } : { orgId, idpId }
    const begun = await signIn.begin({ ...provider, projectId, returnTo: '/' })
    if (begun.isErr()) return showLogin(reply, textOf(begun.error))
    const { url, attempt } = begun.value
    reply.setCookie(ATTEMPT, attempt, {
      path: CALLBACK,
      httpOnly: true,
      secure,
      sameSite: 'lax',
      maxAge: 600,
    })
    return reply.redirect(url, 303)
  })

  app.get(`${CALLBACK}/:orgId/:idpId`, async (request, reply) => {
    const attempt = request.cookies[ATTEMPT]
    reply.clearCookie(ATTEMPT, { path: CALLBACK })
    const finished = await signIn.finish({ url: request.url, attempt })
    if (finished.isErr()) return html(reply, 403, refusedPage(textOf(finished.error)))
    const { userId, access, displayName, returnTo = '/' } = finished.value
    if (userId === undefined) return html(reply, 403, refusedPage('Ask for an account.'))
    if (!access?.allowed) return html(reply, 403, refusedPage('Ask for a role.'))
    // A session id from before the sign-in may be known to somebody else.
    await request.session.regenerate()
    request.session.user = { displayName, roleKeys: access.roleKeys }
    return reply.redirect(returnTo, 303)
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
    case 'NoProviderForEmail':
      return 'No provider is known for this address.'
    case 'AttemptExpired':
    case 'ProviderChanged':
      return 'This took too long, or the provider was changed: please begin again.'
    case 'ProviderInactive':
    case 'ProviderRemoved':
      return 'This provider is no longer in use.'
    default:
      return `Signing in failed (${kind}).`
  }
}
