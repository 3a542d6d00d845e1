// The routes of the product.
import { randomBytes } from 'node:crypto'
import { type Caller, IamFailure, orThrow } from 'claviger'
import { consoleHandler, refuseCrossSite } from 'claviger/console'
import { Hono } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import { createMiddleware } from 'hono/factory'
import { html } from 'hono/html'
import * as z from 'zod'
import { access, as } from './access.ts'
import { addUser, auth, authenticate, directory, save, sso } from './auth.ts'
import { origin, setting } from './database.ts'
import { iam } from './iam.ts'
import { add, toApprove } from './invoices.ts'

export const app = new Hono()
app.use(async (c, next) => refuseCrossSite(c.req.raw) ?? next())
const own = { 'cache-control': 'no-store', 'content-security-policy': "frame-ancestors 'none'" }
app.use(async (c, next) => {
  await next()
  for (const [name, value] of Object.entries(own))
    if (!c.res.headers.has(name)) c.header(name, value)
})
app.on(['GET', 'POST'], '/api/auth/*', (c) => auth.handler(c.req.raw)) // sign-in and sign-out, too

app.get('/sign-in', (c) =>
  c.html(html`<form method="post" action="/api/auth/claviger/sign-in">
    <input type="hidden" name="orgId" value="${c.req.query('orgId')}">
    <input type="hidden" name="idpId" value="${c.req.query('idpId')}"><button>Sign in</button>
    ${c.req.query('idpId') ? '' : html`E-mail <input name="email">`}</form>`),
)

const pages = consoleHandler(iam, {
  basePath: '/admin',
  authenticate,
  users: directory,
  loginUrl: '/sign-in',
  setUp: { path: '/set-up' },
  testIdentityProvider: sso.signIn.test,
  redirectUri: sso.signIn.redirectUri,
  signInUrl: ({ orgId, idpId }) => `/sign-in?orgId=${orgId}&idpId=${idpId}`,
})
for (const path of ['/admin/*', '/set-up/*']) app.all(path, (c) => pages(c.req.raw))

/** Guards a route: throws unless the user of the request has the permission. */
const allow = (permission: string) =>
  createMiddleware<{ Variables: { user: Caller } }>(async (c, next) => {
    const user = await authenticate(c.req.raw.headers)
    if (!user) throw new IamFailure({ kind: 'Unauthenticated' })
    const { userId, orgId } = user
    await iam.access.of({ userId, orgId, projectId: 'invoicing' }).require(permission)
    c.set('user', user)
    await next()
  })

app.get('/invoices', allow('invoice.read'), (c) => c.json({ invoicesOf: c.var.user.orgId }))
app.get('/approvals', allow('invoice.approve'), async (c) => c.json(await toApprove(c.var.user)))
const Invoice = z.object({ id: z.string().min(1), approver: z.string(), total: z.int32() })
app.post('/invoices', allow('user.grant.write'), async (c) => {
  const { data, error } = Invoice.safeParse(await c.req.json().catch(() => undefined))
  if (error) return c.json({ message: z.prettifyError(error) }, 400)
  await add(c.var.user, data.id, data.approver, data.total)
  return c.json({ id: data.id })
})
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
  await save('organization', id, { name, slug: id })
  const userId = await addUser(id, adminEmail.toLowerCase())
  const grant = { userId, projectId: 'invoicing', roles: [{ roleKey: 'admin' }] }
  const once = { ...as('operator', id), idempotencyKey: 'first-admin' }
  await orThrow(iam.userGrants.add(grant, once))
  const expiresAt = new Date(Date.now() + 7 * 24 * 3_600_000)
  const link = { expiresAt, intents: ['provider', 'domain', 'groups'], idpId: 'sso' } as const
  const { token } = await orThrow(iam.setupLinks.issue(link, as('operator', id)))
  return c.json({ setUpLink: `${origin}/set-up/#${token}` })
})
