// Users and sessions from better-auth, roles from claviger. Run it with `node docs/examples/recipe-better-auth.ts`.
import assert from 'node:assert/strict'
import { betterAuth } from 'better-auth'
import { memoryAdapter } from 'better-auth/adapters/memory'
import { organization } from 'better-auth/plugins'
import { aesGcmCipher, createIam, memoryEventStore, orThrow } from 'claviger'
import { callerOf } from 'claviger/better-auth'

// better-auth has the users, their sessions and which organization a session is in.
const auth = betterAuth({
  baseURL: 'http://localhost:3000',
  secret: 'at least thirty-two characters of yours',
  database: memoryAdapter({
    user: [],
    session: [],
    account: [],
    verification: [],
    organization: [],
    member: [],
    invitation: [],
  }),
  emailAndPassword: { enabled: true },
  plugins: [organization()],
})

// claviger has the roles. The ids of users and organizations are those of better-auth.
const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })

/** Who sent a request: for `authenticate` of the console and of the transport, too. */
const callerIn = callerOf(auth)

// Ada signs up, and makes an organization.
const { headers } = await auth.api.signUpEmail({
  body: { name: 'Ada', email: 'ada@acme.example', password: 'correct horse battery' },
  returnHeaders: true,
})
const cookie = new Headers({
  cookie: headers
    .getSetCookie()
    .map((each) => each.split(';')[0])
    .join('; '),
})
await auth.api.createOrganization({ body: { name: 'Acme', slug: 'acme' }, headers: cookie })
const ada = await callerIn(cookie)
assert(ada)

// A route: Ada may approve once she has the role.
await orThrow(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, { caller: ada }))
const accountant = { projectId: 'invoicing', roleKey: 'accountant', displayName: 'Accountant' }
await orThrow(
  iam.projectRoles.add({ ...accountant, permissions: ['invoice.approve'] }, { caller: ada }),
)
const mayApprove = async (request: Request): Promise<boolean> => {
  const caller = await callerIn(request.headers)
  if (!caller) return false
  return iam.access.of({ ...caller, projectId: 'invoicing' }).can('invoice.approve')
}
const request = new Request('http://localhost:3000/invoices/7', { headers: cookie })
assert.equal(await mayApprove(request), false)
const roles = [{ roleKey: 'accountant' }]
await orThrow(
  iam.userGrants.add({ userId: ada.userId, projectId: 'invoicing', roles }, { caller: ada }),
)
assert.equal(await mayApprove(request), true)
console.log('Done')
