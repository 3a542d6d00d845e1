// The routes of the product.
import { randomBytes } from 'node:crypto'
import { IamFailure, items, orThrow } from 'claviger'
import { consoleOptionsOf, guardOf } from 'claviger/better-auth'
import { consoleHandler, refuseCrossSite } from 'claviger/console'
import { type Context, Hono } from 'hono'
import { bearerAuth } from 'hono/bearer-auth'
import * as z from 'zod'
import { access, as } from './access.ts'
import { inserting, rows } from './database.ts'
import { auth, iam, ORIGIN, setting, sso, tenants } from './iam.ts'

export const app = new Hono()
app.use(async (c, next) => refuseCrossSite(c.req.raw) ?? next())
app.on(['GET', 'POST'], '/api/auth/*', (c) => auth.handler(c.req.raw)) // sign-in and sign-out, too
const known = consoleOptionsOf(auth, sso)
const pages = consoleHandler(iam, { ...known, basePath: '/admin', setUp: { path: '/set-up' } })
for (const path of ['/admin/*', '/set-up/*']) app.all(path, (c) => pages(c.req.raw))

/** The user of a request, who has the permission in the own company, or at `:customer`. Throws otherwise. */
const guard = guardOf(auth, { iam, projectId: 'invoicing' })
const allowed = ({ req }: Context, permission: string) =>
  guard(req.raw.headers, permission, { projectOrgId: req.param('customer') })
const bodyOf = async <T>({ req }: Context, schema: z.ZodType<T>): Promise<T> => {
  const { data, error } = schema.safeParse(await req.json().catch(() => undefined))
  if (!error) return data
  const violations = [{ field: 'body', description: z.prettifyError(error) }]
  throw new IamFailure({ kind: 'InvalidArgument', violations })
}

app.get('/invoices/:customer?', async (c) => {
  const { orgId } = await allowed(c, 'invoice.read')
  return c.json({ invoicesOf: c.req.param('customer') ?? orgId })
})
const Invoice = z.object({ id: z.string().min(1), approver: z.string(), total: z.int32() })
app.post('/invoices', async (c) => {
  const caller = await allowed(c, 'user.grant.write')
  const { id, approver: userId, total } = await bodyOf(c, Invoice)
  const sql = 'INSERT INTO invoice VALUES ($1, $2, $3, $4)'
  const inTransaction = inserting(sql, id, caller.orgId, userId, total) // both or neither
  const grant = { userId, projectId: 'invoicing', roles: [{ roleKey: 'approver' }] }
  await orThrow(iam.userGrants.give(grant, { caller, inTransaction }))
  return c.json({ id })
})
app.get('/approvals', async (c) => {
  const { userId, orgId } = await allowed(c, 'invoice.approve')
  return c.json(await rows('SELECT * FROM invoice WHERE org = $1 AND approver = $2', orgId, userId))
})
const Webhook = z.object({ url: z.url().startsWith(new URL(ORIGIN).protocol) })
app.put('/webhook', async (c) => {
  const { orgId } = await allowed(c, 'webhook.write')
  const { url } = await bodyOf(c, Webhook)
  const secret = `whsec_${randomBytes(32).toString('base64')}`
  const sql = 'INSERT INTO webhook VALUES ($1, $2, $3) ON CONFLICT (id) DO UPDATE'
  await rows(`${sql} SET url = $2, secret = $3`, orgId, url, secret)
  return c.json({ secret }) // shown once
})
/** Deletes a person. */
app.delete('/users/:userId', async (c) => {
  const caller = await allowed(c, 'user.grant.write')
  const userId = c.req.param('userId')
  await orThrow(iam.userGrants.removeAllOfUser({ userId }, { caller }))
  await tenants.deleteMember({ orgId: caller.orgId, userId })
  return c.body(null, 204)
})

app.use('/operator/*', bearerAuth({ token: setting('OPERATOR_TOKEN') }))
/** Adds a customer, and answers a link for the customer's IT. May be repeated. */
const Customer = z.object({ id: z.string(), name: z.string(), adminEmail: z.email() })
app.post('/operator/customers', async (c) => {
  const { id, name, adminEmail: email } = await bodyOf(c, Customer)
  const caller = as('operator')(id)
  await orThrow(iam.apply(access, { caller }))
  await tenants.add({ id, name })
  const userId = await tenants.addMember({ orgId: id, email })
  const admin = { userId, projectId: 'invoicing', roles: [{ roleKey: 'admin' }] }
  await orThrow(iam.userGrants.give(admin, { caller, idempotencyKey: 'first-admin' }))
  const expiresAt = new Date(Date.now() + 7 * 24 * 3_600_000)
  const link = { expiresAt, intents: ['provider', 'domain', 'groups'], idpId: 'sso' } as const
  const { token } = await orThrow(iam.setupLinks.issue(link, { caller }))
  return c.json({ setUpLink: `${ORIGIN}/set-up/#${token}` })
})
/** Ends a customer: no roles, no users, the domains are free. The history stays. May be repeated. */
app.delete('/operator/customers/:id', async (c) => {
  const id = c.req.param('id')
  const context = { caller: as('operator')(id) }
  const ended = { ...context, reason: 'Contract ended' }
  await orThrow(iam.projects.deactivate({ id: 'invoicing' }, ended))
  for await (const { domain } of items(iam.domains.list, {}, context))
    await orThrow(iam.domains.remove({ domain }, context))
  await rows('DELETE FROM webhook WHERE id = $1', id)
  await tenants.delete(id)
  return c.body(null, 204)
})
