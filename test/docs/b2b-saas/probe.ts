// Runs beside a copy of the example, and prints as JSON what its routes answer to a signed-in admin.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createAuthEndpoint } from 'better-auth/api'
import { setSessionCookie } from 'better-auth/cookies'

const [folder = '', origin = ''] = process.argv.slice(2)
const from = (file: string) => import(pathToFileURL(join(folder, file)).href)

const [{ app }, { iam }, { as }, { addUser, auth, directory, save }, { database }] =
  await Promise.all(['routes.ts', 'iam.ts', 'access.ts', 'auth.ts', 'database.ts'].map(from))

const send = (method: string, path: string, body?: unknown, headers: object = {}) =>
  app.request(`${origin}${path}`, {
    method,
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer operator-token',
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })

const statuses = async (method: string, path: string, bodies: readonly unknown[], headers = {}) => {
  const found: number[] = []
  for (const body of bodies) found.push((await send(method, path, body, headers)).status)
  return found
}

const customer = { id: 'acme', name: 'Acme', adminEmail: 'Ada@acme.example' }
const customers = await statuses('POST', '/operator/customers', [
  customer,
  customer,
  { ...customer, adminEmail: undefined },
  { ...customer, adminEmail: 'Ada' },
  { ...customer, name: 5 },
  { ...customer, id: 'no id' },
  {},
  [],
  'null',
  '{',
])

const [admin] = await directory.find('ada', { orgId: 'acme' })
const context = await auth.$context
/** Stands in for a sign-in with a provider. */
const signedIn = async (userId: string): Promise<string> => {
  const startSession = createAuthEndpoint({ method: 'POST' }, async (ctx) => {
    const user = await context.internalAdapter.findUserById(userId)
    const fields = { activeOrganizationId: 'acme' }
    const session = await context.internalAdapter.createSession(userId, false, fields)
    await setSessionCookie(ctx, { user, session })
  })
  const { headers } = await startSession({ context, returnHeaders: true })
  return headers.getSetCookie()[0] ?? ''
}
const cookie = await signedIn(admin.id)
const webhooks = await statuses(
  'PUT',
  '/webhook',
  [
    { url: 'https://hooks.example/claviger' },
    { url: 'file:///etc/passwd' },
    { url: 'javascript:alert(1)' },
    { url: 'ftp://hooks.example' },
    { url: 'http://hooks.example' },
    { url: ['https://hooks.example'] },
    { url: 5 },
    {},
    [],
    'null',
    '{',
  ],
  { cookie: cookie.split(';')[0] },
)

const byAdmin = { cookie: cookie.split(';')[0] }
const approver = await addUser('acme', 'bo@acme.example')
const invoice = { id: 'i-1', approver, total: 120 }
const invoices = await statuses(
  'POST',
  '/invoices',
  [invoice, { ...invoice, id: '' }, { ...invoice, total: 1.5 }, [], '{'],
  byAdmin,
)
// The same invoice again: neither it nor the role of the other approver is stored.
const cy = await addUser('acme', 'cy@acme.example')
invoices.push((await send('POST', '/invoices', { ...invoice, approver: cy }, byAdmin)).status)
const ofUser = async (userId: string) => ({ cookie: (await signedIn(userId)).split(';')[0] })
const approvals = await send('GET', '/approvals', undefined, await ofUser(approver))
const forbidden = await send('GET', '/approvals', undefined, await ofUser(cy))

const page = await send('GET', '/sign-in')
const console = await send('GET', '/admin/')
const header = (answer: Response, name: string) => answer.headers.get(name)

// Another desired state takes nothing of the code's, but protects a customer's project that the next start declares.
const taken = { managedBy: 'acme-it', protect: true, projects: [{ id: 'invoicing', name: 'Ours' }] }
const refused = await iam.apply(taken, as('admin', 'acme'))
if (refused.isOk() || refused.error.kind !== 'Protected') throw new Error('The project was taken')
const applied = await iam.apply(taken, as('admin', 'globex'))
if (applied.isErr()) throw new Error(applied.error.kind)
await save('organization', 'globex', { name: 'Globex', slug: 'globex' })
await database.close()

process.stdout.write(
  JSON.stringify({
    customers,
    webhooks,
    invoices,
    approvals: [await approvals.json(), forbidden.status],
    cookie,
    headers: [
      header(page, 'cache-control'),
      header(page, 'content-security-policy'),
      header(console, 'cache-control'),
      String(header(console, 'content-security-policy')).includes("frame-ancestors 'none'"),
    ],
  }),
)
