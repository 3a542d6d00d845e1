// The first admin of a tenant. Run it with `node docs/examples/recipe-first-admin.ts`.
import assert from 'node:assert/strict'
import {
  aesGcmCipher,
  type Caller,
  createIam,
  memoryEventStore,
  orThrow,
  PERMISSIONS,
  permissionsFromCaller,
} from 'claviger'

const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: permissionsFromCaller })

/** The permissions of claviger that roles of a tenant may give. */
const ADMIN = PERMISSIONS.filter((each) => each !== 'identity_provider.secret.read')

/** The server itself, in the organization of a tenant. */
const serverIn = (orgId: string): Caller => ({
  userId: 'server',
  orgId,
  permissions: [
    'project.read',
    'project.write',
    'project.role.read',
    'project.role.write',
    'user.grant.read',
    'user.grant.write',
  ],
})

/** The user of a session, with the permissions that their roles list. */
const callerOf = async (userId: string, orgId: string): Promise<Caller> => {
  const server = { caller: serverIn(orgId) }
  const { permissions } = await orThrow(
    iam.access.check({ userId, projectId: 'invoicing' }, server),
  )
  return { userId, orgId, permissions: ADMIN.filter((each) => permissions.includes(each)) }
}

/** Called when an organization signs up. */
const signUp = async (userId: string, orgId: string): Promise<void> => {
  const server = { caller: serverIn(orgId), reason: 'Signed up' }
  await orThrow(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, server))
  const admin = { projectId: 'invoicing', roleKey: 'admin', displayName: 'Admin' }
  const permissions = ['invoice.approve', 'user.grant.read', 'user.grant.write']
  await orThrow(iam.projectRoles.add({ ...admin, permissions }, server))
  await orThrow(
    iam.userGrants.add({ userId, projectId: 'invoicing', roles: [{ roleKey: 'admin' }] }, server),
  )
}

await signUp('ada', 'acme')
const bo = { userId: 'bo', projectId: 'invoicing', roles: [{ roleKey: 'admin' }] }
assert((await iam.userGrants.add(bo, { caller: await callerOf('bo', 'acme') })).isErr())
assert((await iam.userGrants.add(bo, { caller: await callerOf('ada', 'acme') })).isOk())
console.log('Done')
