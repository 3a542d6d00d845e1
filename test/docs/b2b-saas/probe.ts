// Runs beside a copy of the example, and prints as JSON what its routes answer to a signed-in admin.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { testUtils } from 'better-auth/plugins'

const [folder = '', origin = ''] = process.argv.slice(2)
const from = (file: string) => import(pathToFileURL(join(folder, file)).href)

const [{ app }, { auth, iam, tenants }, { as }] = await Promise.all(
  ['routes.ts', 'iam.ts', 'access.ts'].map(from),
)

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

const { login } = testUtils().init(await auth.$context).context.test
/** Stands in for a sign-in with a provider. */
const ofUser = async (userId: string, orgId = 'acme') => {
  const session = { activeOrganizationId: orgId }
  const { cookies, headers } = await login({ userId, session })
  return { cookies, headers: { cookie: headers.get('cookie') ?? '' } }
}
const addUser = (orgId: string, email: string) => tenants.addMember({ orgId, email })
const ada = await addUser('acme', 'ada@acme.example')
const { cookies, headers: byAdmin } = await ofUser(ada)
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
  byAdmin,
)

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
const approvals = await send('GET', '/approvals', undefined, (await ofUser(approver)).headers)
const forbidden = await send('GET', '/approvals', undefined, (await ofUser(cy)).headers)

const page = await send('GET', '/api/auth/claviger/sign-in?returnTo=%2Fa%22%3E')
const withProvider = await send('GET', '/api/auth/claviger/sign-in?orgId=acme&idpId=sso')
const console = await send('GET', '/admin/')
const header = (answer: Response, name: string) => answer.headers.get(name)

// Another desired state takes nothing of the code's, but protects a customer's project that the next start declares.
const taken = { managedBy: 'acme-it', protect: true, projects: [{ id: 'invoicing', name: 'Ours' }] }
const refused = await iam.apply(taken, { caller: as('admin')('acme') })
if (refused.isOk() || refused.error.kind !== 'Protected') throw new Error('The project was taken')
const applied = await iam.apply(taken, { caller: as('admin')('globex') })
if (applied.isErr()) throw new Error(applied.error.kind)
await tenants.add({ id: 'globex', name: 'Globex' })

// A person is deleted, by an admin alone; then the customer ends.
const byApprover = (await ofUser(approver)).headers
const deleted = [
  (await send('DELETE', `/users/${ada}`, undefined, byApprover)).status,
  (await send('DELETE', `/users/${approver}`, undefined, byAdmin)).status,
  (await send('GET', '/approvals', undefined, byApprover)).status,
  (await send('DELETE', `/users/${approver}`, undefined, byAdmin)).status,
]
const users = (await (await auth.$context).adapter.findMany({ model: 'user' })).map(
  ({ email }: { readonly email: string }) => email,
)
const ended = [
  (await send('DELETE', '/operator/customers/acme', undefined, { authorization: '' })).status,
  (await send('DELETE', '/operator/customers/acme')).status,
  (await send('DELETE', '/operator/customers/acme')).status,
  (await send('GET', '/invoices', undefined, byAdmin)).status,
]
const { allowed } = await iam.access
  .of({ userId: ada, orgId: 'acme', projectId: 'invoicing' })
  .check()
const left = await tenants.list()

process.stdout.write(
  JSON.stringify({
    customers,
    webhooks,
    invoices,
    approvals: [await approvals.json(), forbidden.status],
    cookie: cookies[0],
    pages: [await page.text(), await withProvider.text()],
    deleted,
    users,
    ended: [...ended, allowed, left.map(({ id }: { readonly id: string }) => id)],
    headers: [
      header(page, 'cache-control'),
      header(page, 'content-security-policy'),
      header(console, 'cache-control'),
      String(header(console, 'content-security-policy')).includes("frame-ancestors 'none'"),
    ],
  }),
)
