// The routes of the product.
import { randomBytes } from 'node:crypto'
import { type Caller, IamFailure, orThrow } from 'claviger'
import { consoleHandler, refuseCrossSite } from 'claviger/console'
import type { ProviderChoice } from 'claviger/oidc'
import { type Context, Hono } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { deleteCookie, setCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { access, as } from './access.ts'
import { origin, setting } from './database.ts'
import { callerOf, iam, redirectUri, signIn } from './iam.ts'
import { addUser, auth, directory, save } from './users.ts'

export const app = new Hono()
app.use(async (c, next) => refuseCrossSite(c.req.raw) ?? next())
app.use(async (c, next) => {
  await next()
  const own = { 'cache-control': 'no-store', 'content-security-policy': "frame-ancestors 'none'" }
  for (const [name, value] of Object.entries(own))
    if (!c.res.headers.has(name)) c.header(name, value)
})
app.on(['GET', 'POST'], '/api/auth/*', (c) => auth.handler(c.req.raw)) // such as /api/auth/sign-out

const secure = origin.startsWith('https:')
const begin = async (c: Context, provider: ProviderChoice) => {
  const begun = await signIn.begin({ ...provider, returnTo: '/' })
  if (begun.isErr()) return c.text(`Cannot sign in: ${begun.error.kind}`, 403)
  const cookie = { path: '/sign-in', httpOnly: true, secure, maxAge: 600 }
  setCookie(c, 'attempt', begun.value.attempt, { ...cookie, sameSite: 'Lax' })
  return c.redirect(begun.value.url, 303)
}
app.get('/sign-in', (c) => c.html('<form method="post">E-mail <input name="email"></form>'))
app.post('/sign-in', async (c) => begin(c, { email: String((await c.req.parseBody())['email']) }))
app.get('/sign-in/:orgId/:idpId', (c) => begin(c, c.req.param()))
app.get('/sign-in/callback/:orgId/:idpId', async (c) => {
  const attempt = deleteCookie(c, 'attempt', { path: '/sign-in' })
  const finished = await signIn.finish({ request: c.req.raw, attempt })
  if (finished.isErr()) return c.text(`Not signed in: ${finished.error.kind}`, 403)
  const { userId, returnTo = '/' } = finished.value
  if (userId === undefined) return c.text('Ask your admin for an account.', 403)
  const { headers } = await auth.api.startSession({ body: { userId }, returnHeaders: true })
  for (const cookie of headers.getSetCookie()) c.header('set-cookie', cookie, { append: true })
  return c.redirect(returnTo, 303)
})

const pages = consoleHandler(iam, {
  basePath: '/admin',
  authenticate: callerOf,
  users: directory,
  loginUrl: '/sign-in',
  setUp: { path: '/set-up' },
  testIdentityProvider: signIn.test,
  redirectUri,
  signInUrl: ({ orgId, idpId }) => `/sign-in/${orgId}/${idpId}`,
})
for (const path of ['/admin/*', '/set-up/*']) app.all(path, (c) => pages(c.req.raw))

/** Guards a route: throws unless the user of the request has the permission. */
const allow = (permission: string) =>
  createMiddleware<{ Variables: { user: Caller } }>(async (c, next) => {
    const user = await callerOf(c.req.raw.headers)
    if (!user) throw new IamFailure({ kind: 'Unauthenticated' })
    const question = { userId: user.userId, projectId: 'invoicing', permission }
    await orThrow(iam.access.require(question, as('server', user.orgId)))
    c.set('user', user)
    await next()
  })

app.get('/invoices', allow('invoice.read'), (c) => c.json({ invoicesOf: c.var.user.orgId }))
app.post('/approvals', allow('invoice.approve'), (c) => c.json({ by: c.var.user.userId }))
const protocol = origin.startsWith('https:') ? /^https$/ : /^https?$/
const Webhook = z.object({ url: z.url({ protocol }).max(2_000) })
app.put('/webhook', allow('webhook.write'), async (c) => {
  const read = Webhook.safeParse(await c.req.json().catch(() => undefined))
  if (!read.success) return c.json({ message: 'url must be an https URL' }, 400)
  const { url } = read.data
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  await save('webhook', c.var.user.orgId, { url, secret })
  return c.json({ secret }) // shown once
})

const Customer = z.object({ id: z.string(), name: z.string().min(1), adminEmail: z.email() })
/** Adds a customer, and answers a link for the customer's IT. May be repeated. */
app.post('/operator/customers', bearerAuth({ token: setting('OPERATOR_TOKEN') }), async (c) => {
  const read = Customer.safeParse(await c.req.json().catch(() => undefined))
  if (!read.success) return c.json({ message: z.prettifyError(read.error) }, 400)
  const { id, name, adminEmail } = read.data
  await orThrow(iam.apply(access, as('deployment', id)))
  await save('customer', id, { name })
  const userId = await addUser(id, adminEmail, adminEmail)
  const grant = { userId, projectId: 'invoicing', roles: [{ roleKey: 'admin' }] }
  const operator = as('operator', id)
  await orThrow(iam.userGrants.add(grant, { ...operator, idempotencyKey: 'first-admin' }))
  const expiresAt = new Date(Date.now() + 7 * 24 * 3_600_000)
  const intents = ['provider', 'domain', 'groups'] as const
  const { token } = await orThrow(iam.setupLinks.issue({ expiresAt, intents }, operator))
  return c.json({ setUpLink: `${origin}/set-up/#${token}` })
})
