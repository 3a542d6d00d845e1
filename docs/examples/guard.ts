// Guards a route, and asks other questions about access. Run it with `node docs/examples/guard.ts`.
import assert from 'node:assert/strict'
import {
  aesGcmCipher,
  type Context,
  createIam,
  httpStatusOf,
  IamFailure,
  items,
  memoryEventStore,
  orThrow,
} from 'claviger'

const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })

// One line guards the route.
const approve = async (userId: string, context: Context): Promise<string> => {
  const projectId = 'invoicing'
  await orThrow(iam.access.require({ userId, projectId, permission: 'invoice.approve' }, context))
  return 'approved'
}

/** The HTTP status for a thrown error: 403 for a denial, 400 for an empty user id. */
const statusOf = (thrown: unknown): number =>
  thrown instanceof IamFailure ? httpStatusOf(thrown.error) : 500

const acme = { caller: { userId: 'u-ada', orgId: 'acme' } }
const project = { projectId: 'invoicing' }
const role = { ...project, roleKey: 'accountant', displayName: 'Accountant' }
await orThrow(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, acme))
await orThrow(iam.projectRoles.add({ ...role, permissions: ['invoice.approve'] }, acme))
const bo = { userId: 'u-bo', ...project }

const refused = await approve('u-bo', acme).catch((thrown: unknown) => thrown)
assert.equal(statusOf(refused), 403)
assert.equal(
  String(refused),
  'IamFailure: AccessDenied (PERMISSION_DENIED): The user does not have this access: NoGrant',
)
await orThrow(iam.userGrants.add({ ...bo, roles: [{ roleKey: 'accountant' }] }, acme))
assert.equal(await approve('u-bo', acme), 'approved')

// Why does Bo have the role? And in a while: why did Bo have it at this time?
const at = new Date()
const why = await orThrow(iam.access.explain({ ...bo, roleKey: 'accountant' }, acme))
assert.deepEqual(
  why.because.map(({ type }) => type),
  ['project.added', 'project_role.added', 'user_grant.added'],
)
await new Promise((resolve) => setTimeout(resolve, 2))
await orThrow(iam.userGrants.remove(bo, acme))
const now = await orThrow(iam.access.explain({ ...bo, roleKey: 'accountant' }, acme))
assert.equal(now.because.at(-1)?.type, 'user_grant.removed')
await orThrow(iam.access.require({ ...bo, permission: 'invoice.approve', at }, acme))

// Everybody who had a role of any project then, and all that happened to the grants of Bo, page by page.
const holders = []
for await (const { userId, projectId, roleKey } of items(iam.access.whoHas, { at }, acme))
  holders.push([userId, projectId, roleKey])
assert.deepEqual(holders, [['u-bo', 'invoicing', 'accountant']])
for await (const { time, actor, type } of items(iam.history.list, { user: 'u-bo' }, acme))
  console.log(time.toISOString(), actor.userId, type)
