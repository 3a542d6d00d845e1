// Roles of a project, given to users of the organization that owns it and of others. Run it with `node docs/examples/grants.ts`.
import assert from 'node:assert/strict'
import {
  aesGcmCipher,
  type Context,
  createIam,
  items,
  memoryEventStore,
  orThrow,
  type UserGrantRolesInput,
} from 'claviger'

const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })
const vendor: Context = { caller: { userId: 'u-olga', orgId: 'vendor' } }

// 1. A project and its roles. A role lists the permissions that your code asks for.
await orThrow(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, vendor))
const roles = [
  { roleKey: 'viewer', displayName: 'Viewer', permissions: ['invoice.read'] },
  {
    roleKey: 'approver',
    displayName: 'Approver',
    permissions: ['invoice.read', 'invoice.approve'],
  },
]
await orThrow(iam.projectRoles.addMany({ projectId: 'invoicing', roles }, vendor))

// 2. Give roles to a user of your organization, add one until a date, remove one.
const bo = { userId: 'u-bo', projectId: 'invoicing' }
await orThrow(iam.userGrants.add({ ...bo, roles: [{ roleKey: 'viewer' }] }, vendor))
const expiresAt = new Date(Date.now() + 7 * 86_400_000)
const approver = { roleKey: 'approver', expiresAt }
await orThrow(iam.userGrants.addRoles({ ...bo, roles: [approver] }, vendor))
await orThrow(iam.userGrants.removeRoles({ ...bo, roleKeys: ['viewer'] }, vendor))

// 3. Ask.
const may = await iam.access.of({ ...bo, orgId: 'vendor' }).can('invoice.approve')
assert.equal(may, true)

// Another organization may give one of the roles to its own users.
const granted = { projectId: 'invoicing', grantedOrgId: 'acme', roleKeys: ['viewer'] }
await orThrow(iam.projectGrants.add(granted, vendor))

// In the other organization: which roles may we give? Then give one.
const acme: Context = { caller: { userId: 'u-ada', orgId: 'acme' } }
const received = await orThrow(iam.projectGrants.listReceived({}, acme))
assert.deepEqual(received.items[0]?.roleKeys, ['viewer'])
const cy = { userId: 'u-cy', projectId: 'invoicing', projectOrgId: 'vendor' }
await orThrow(iam.userGrants.add({ ...cy, roles: [{ roleKey: 'viewer' }] }, acme))
await iam.access.of({ ...cy, orgId: 'acme' }).require('invoice.read')

// Gives roles, whether or not the user has roles of the project.
await orThrow(iam.userGrants.give({ ...bo, roles: [{ roleKey: 'viewer' }] }, vendor))
const di = { userId: 'u-di', projectId: 'invoicing' }
await orThrow(iam.userGrants.give({ ...di, roles: [{ roleKey: 'viewer' }] }, vendor))
await orThrow(iam.userGrants.give({ ...di, roles: [{ roleKey: 'viewer' }] }, vendor))

const before = new Date()
await new Promise((resolve) => setTimeout(resolve, 2))

// What would happen if the role were removed?
const viewer = { projectId: 'invoicing', roleKey: 'viewer' }
const { impact } = await orThrow(iam.projectRoles.remove(viewer, { ...vendor, dryRun: true }))
assert.equal(impact?.loses.count, 3)
assert.deepEqual(impact?.loses.first[0], { orgId: 'acme', userId: 'u-cy', roleKey: 'viewer' })

// Somebody leaves.
const { removed, sequence } = await orThrow(
  iam.userGrants.removeAllOfUser({ userId: 'u-bo' }, vendor),
)
assert.deepEqual(
  removed.map(({ projectId }) => projectId),
  ['invoicing'],
)
console.log(`Nothing recorded up to ${sequence} gives u-bo a role`)

/** All holders of roles of a project, now or at a time in the past. */
const review = async (projectId: string, at?: Date): Promise<readonly string[]> => {
  const holders: string[] = []
  const question = at === undefined ? { projectId } : { projectId, at }
  for await (const { orgId, userId, roleKey } of items(iam.access.whoHas, question, vendor))
    holders.push(`${orgId} ${userId} ${roleKey}`)
  return holders
}
assert.deepEqual(await review('invoicing'), ['acme u-cy viewer', 'vendor u-di viewer'])
assert.deepEqual(await review('invoicing', before), [
  'vendor u-bo approver',
  'acme u-cy viewer',
  'vendor u-bo viewer',
  'vendor u-di viewer',
])

// Rows of a table that you have. Run it again after an interruption.
async function* rows(): AsyncIterable<UserGrantRolesInput> {
  for (const userId of ['u-eve', 'u-fay'])
    yield { userId, projectId: 'invoicing', roles: [{ roleKey: 'viewer' }] }
  yield { userId: 'u-gil', projectId: 'invoicing', roles: [{ roleKey: 'retired' }] }
}
const report = await orThrow(iam.userGrants.import({ grants: rows() }, vendor))
assert.deepEqual([report.added, report.unchanged, report.refusedCount], [2, 0, 1])
assert.equal(report.refused[0]?.error.kind, 'NotFound') // row 2: no such role
