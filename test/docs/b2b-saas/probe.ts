// Runs beside a copy of the example, and prints as JSON what its routes answer to a signed-in admin.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [folder = '', origin = ''] = process.argv.slice(2)
const from = (file: string) => import(pathToFileURL(join(folder, file)).href)

const [{ app }, { iam }, { as }, users, { database }] = await Promise.all(
  ['routes.ts', 'iam.ts', 'access.ts', 'users.ts', 'database.ts'].map(from),
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

const [admin] = await users.directory.find('ada', { orgId: 'acme' })
const signedIn = async (userId: string): Promise<string> => {
  const { headers } = await users.auth.api.startSession({ body: { userId }, returnHeaders: true })
  return headers.getSetCookie()[0]
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

const signIn = { orgId: 'acme', issuer: 'https://i.example', mayAutoRegister: true }
const named = async (user: object) => {
  const id = await users.userIdOf({ ...signIn, ...user })
  return (await users.directory.describe([id], { orgId: 'acme' }))[0].name
}
const names = [
  await named({
    subject: '1',
    displayName: 'Chief of Acme',
    emailIsOwn: false,
    email: 'ceo@acme.example',
  }),
  await named({ subject: '2', displayName: 'Chief', emailIsOwn: true, email: 'Bob@acme.example' }),
]

const page = await send('GET', '/sign-in')
const console = await send('GET', '/admin/')
const header = (answer: Response, name: string) => answer.headers.get(name)

// Another desired state takes nothing of the code's, but protects a customer's project that the next start declares.
const taken = { managedBy: 'acme-it', protect: true, projects: [{ id: 'invoicing', name: 'Ours' }] }
const refused = await iam.apply(taken, as('admin', 'acme'))
if (refused.isOk() || refused.error.kind !== 'Protected') throw new Error('The project was taken')
const applied = await iam.apply(taken, as('admin', 'globex'))
if (applied.isErr()) throw new Error(applied.error.kind)
await users.save('customer', 'globex', { name: 'Globex' })
await database.close()

process.stdout.write(
  JSON.stringify({
    customers,
    webhooks,
    names,
    cookie,
    headers: [
      header(page, 'cache-control'),
      header(page, 'content-security-policy'),
      header(console, 'cache-control'),
      String(header(console, 'content-security-policy')).includes("frame-ancestors 'none'"),
    ],
  }),
)
