// A customer invites its adviser: another company, whose admin chooses who works for the customer.
import assert from 'node:assert/strict'
import {
  aesGcmCipher,
  type Context,
  createIam,
  IamFailure,
  memoryEventStore,
  orThrow,
} from 'claviger'
import { consoleHandler } from 'claviger/console'

const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })
const acme: Context = { caller: { userId: 'u-ada', orgId: 'acme' } }
const roth: Context = { caller: { userId: 'u-dina', orgId: 'roth-advisers' } }

await orThrow(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, acme))
const roles = [
  { roleKey: 'viewer', displayName: 'Viewer', permissions: ['invoice.read'] },
  { roleKey: 'auditor', displayName: 'Auditor', permissions: ['invoice.read', 'ledger.read'] },
  { roleKey: 'approver', displayName: 'Approver', permissions: ['invoice.approve'] },
]
await orThrow(iam.projectRoles.addMany({ projectId: 'invoicing', roles }, acme))

// 1. Ada of Acme invites the company: its people may be viewers and auditors, never approvers.
const advisers = { projectId: 'invoicing', grantedOrgId: 'roth-advisers' }
await orThrow(
  iam.projectGrants.add(
    { ...advisers, roleKeys: ['viewer', 'auditor'] },
    { ...acme, reason: 'Annual audit' },
  ),
)

// 2. Dina of Roth sees what her company may do for whom, and gives a role to one of her people.
const received = await orThrow(iam.projectGrants.listReceived({}, roth))
assert.deepEqual(received.items[0]?.roleKeys, ['viewer', 'auditor'])
const invoicing = { projectId: 'invoicing', projectOrgId: 'acme' }
const finn = { userId: 'u-finn', ...invoicing }
await orThrow(iam.userGrants.give({ ...finn, roles: [{ roleKey: 'auditor' }] }, roth))

// 3. One guard for Acme's own users and for those of advisers.
interface User {
  readonly id: string
  /** The company that the user belongs to: from your session, never from the request. */
  readonly orgId: string
}
/** Who may do this in the invoicing of `customer`? */
const guard = (user: User, customer: string, permission: string) =>
  iam.access
    .of({ userId: user.id, orgId: user.orgId, projectId: 'invoicing', projectOrgId: customer })
    .require(permission)

await guard({ id: 'u-finn', orgId: 'roth-advisers' }, 'acme', 'ledger.read')
await assert.rejects(
  guard({ id: 'u-finn', orgId: 'roth-advisers' }, 'acme', 'invoice.approve'),
  IamFailure,
)
await assert.rejects(
  guard({ id: 'u-finn', orgId: 'roth-advisers' }, 'globex', 'ledger.read'),
  IamFailure,
)

// 4. Names in the console: those of the own company, and of people who work for it.
const people = [
  { id: 'u-ada', name: 'Ada Lind', orgId: 'acme' },
  { id: 'u-finn', name: 'Finn Moe', orgId: 'roth-advisers' },
]
const isKnownTo = async (orgId: string) => {
  const holders = await orThrow(
    iam.access.whoHas({ projectId: 'invoicing' }, { caller: { userId: 'server', orgId } }),
  )
  const ids = new Set(holders.items.map(({ userId }) => userId))
  return (person: (typeof people)[number]) => person.orgId === orgId || ids.has(person.id)
}
const pages = consoleHandler(iam, {
  basePath: '/admin',
  authenticate: () => acme.caller,
  users: {
    describe: async (ids, { orgId }) =>
      people.filter(({ id }) => ids.includes(id)).filter(await isKnownTo(orgId)),
    // Forms offer the people of the own company alone: its admins give roles to nobody else.
    find: (text, { orgId }) =>
      people.filter((person) => person.orgId === orgId && person.name.includes(text)),
  },
})
const named = await pages(new Request('https://app.example/admin/api/users?id=u-finn'))
assert.match(await named.text(), /Finn Moe/)

// 5. The end: one call for the whole company. Who had which role stays in the history.
const { impact } = await orThrow(iam.projectGrants.remove(advisers, { ...acme, dryRun: true }))
assert.equal(impact?.loses.count, 1)
await orThrow(iam.projectGrants.remove(advisers, { ...acme, reason: 'The audit is done' }))
await assert.rejects(
  guard({ id: 'u-finn', orgId: 'roth-advisers' }, 'acme', 'ledger.read'),
  IamFailure,
)
console.log('Done')
