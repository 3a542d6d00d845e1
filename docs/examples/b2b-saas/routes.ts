// The routes of the product.
import { randomBytes } from 'node:crypto'
import { type Caller, IamFailure, orThrow } from 'claviger'
import { consoleHandler, refuseCrossSite } from 'claviger/console'
import { signInHandler } from 'claviger/oidc'
import { Hono } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { createMiddleware } from 'hono/factory'
import { html } from 'hono/html'
import * as z from 'zod'
import { access, as } from './access.ts'
import { origin, setting } from './database.ts'
import { callerOf, iam, signIn } from './iam.ts'
import { addUser, auth, directory, save } from './users.ts'

export const app = new Hono()
app.use(async (c, next) => refuseCrossSite(c.req.raw) ?? next())
const own = { 'cache-control': 'no-store', 'content-security-policy': "frame-ancestors 'none'" }
app.use(async (c, next) => {
  await next()
  for (const [name, value] of Object.entries(own))
    if (!c.res.headers.has(name)) c.header(name, value)
})
app.on(['GET', 'POST'], '/api/auth/*', (c) => auth.handler(c.req.raw)) // such as /api/auth/sign-out

const signInRoutes = signInHandler(signIn, {
  path: '/sign-in',
  onSignedIn: async ({ userId }) => {
    if (userId === undefined) return new Response('Ask your admin for an account.', { status: 403 })
    const { headers } = await auth.api.startSession({ body: { userId }, returnHeaders: true })
    return headers.getSetCookie().map((cookie) => ['set-cookie', cookie])
  },
})
app.get('/sign-in', (c) =>
  c.html(html`<form method="post"><input type="hidden" name="orgId" value="${c.req.query('orgId')}">
    <input type="hidden" name="idpId" value="${c.req.query('idpId')}"><button>Sign in</button>
    ${c.req.query('idpId') ? '' : html`E-mail <input name="email">`}</form>`),
)
for (const path of ['/sign-in', '/sign-in/*']) app.all(path, (c) => signInRoutes(c.req.raw))

const pages = consoleHandler(iam, {
  basePath: '/admin',
  authenticate: callerOf,
  users: directory,
  loginUrl: '/sign-in',
  setUp: { path: '/set-up' },
  testIdentityProvider: signIn.test,
  redirectUri: signIn.redirectUri,
  signInUrl: ({ orgId, idpId }) => `/sign-in?orgId=${orgId}&idpId=${idpId}`,
})
for (const path of ['/admin/*', '/set-up/*']) app.all(path, (c) => pages(c.req.raw))

/** Guards a route: throws unless the user of the request has the permission. */
const allow = (permission: string) =>
  createMiddleware<{ Variables: { user: Caller } }>(async (c, next) => {
    const user = await callerOf(c.req.raw.headers)
    if (!user) throw new IamFailure({ kind: 'Unauthenticated' })
    const { userId, orgId } = user
    await iam.access.of({ userId, orgId, projectId: 'invoicing' }).require(permission)
    c.set('user', user)
    await next()
  })

app.get('/invoices', allow('invoice.read'), (c) => c.json({ invoicesOf: c.var.user.orgId }))
app.post('/approvals', allow('invoice.approve'), (c) => c.json({ by: c.var.user.userId }))
const Webhook = z.object({ url: z.url().startsWith(new URL(origin).protocol) })
app.put('/webhook', allow('webhook.write'), async (c) => {
  const { data, error } = Webhook.safeParse(await c.req.json().catch(() => undefined))
  if (error) return c.json({ message: z.prettifyError(error) }, 400)
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  await save('webhook', c.var.user.orgId, { ...data, secret })
  return c.json({ secret }) // shown once
})

/** Adds a customer, and answers a link for the customer's IT. May be repeated. */
const Customer = z.object({ id: z.string(), name: z.string(), adminEmail: z.email() })
app.post('/operator/customers', bearerAuth({ token: setting('OPERATOR_TOKEN') }), async (c) => {
  const { data, error } = Customer.safeParse(await c.req.json().catch(() => undefined))
  if (error) return c.json({ message: z.prettifyError(error) }, 400)
  const { id, name, adminEmail } = data
  await orThrow(iam.apply(access, as('deployment', id)))
  await save('customer', id, { name })
  const userId = await addUser(id, adminEmail, adminEmail)
  const grant = { userId, projectId: 'invoicing', roles: [{ roleKey: 'admin' }] }
  const once = { ...as('operator', id), idempotencyKey: 'first-admin' }
  await orThrow(iam.userGrants.add(grant, once))
  const expiresAt = new Date(Date.now() + 7 * 24 * 3_600_000)
  const link = { expiresAt, intents: ['provider', 'domain', 'groups'], idpId: 'sso' } as const
  const { token } = await orThrow(iam.setupLinks.issue(link, as('operator', id)))
  return c.json({ setUpLink: `${origin}/set-up/#${token}` })
})
