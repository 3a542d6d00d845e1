// The first admin of a tenant. Run it with `node docs/examples/recipe-first-admin.ts`.
import assert from 'node:assert/strict'
import {
  aesGcmCipher,
  type Caller,
  createIam,
  memoryEventStore,
  orThrow,
  permissionsFromCaller,
  permissionsFromRoles,
} from 'claviger'

const byRoles = permissionsFromRoles({
  iam: () => iam,
  projectId: 'invoicing',
  withhold: ['identity_provider.secret.read', 'desired_state.write'],
})
const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } }),
  // Your server names its own permissions; what a user may do is decided by their roles.
  authorize: (question) => permissionsFromCaller(question) || byRoles(question),
})

/** The server itself, in the organization of a tenant. */
const serverIn = (orgId: string): Caller => ({
  userId: 'server',
  orgId,
  permissions: ['project.write', 'project.role.write', 'user.grant.write'],
})

/** Called when an organization signs up. */
const signUp = async (userId: string, orgId: string): Promise<void> => {
  const server = { caller: serverIn(orgId), reason: 'Signed up' }
  await orThrow(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, server))
  const admin = { projectId: 'invoicing', roleKey: 'admin', displayName: 'Admin' }
  const permissions = ['invoice.approve', 'user.grant.read', 'user.grant.write']
  await orThrow(iam.projectRoles.add({ ...admin, permissions }, server))
  await orThrow(
    iam.userGrants.give({ userId, projectId: 'invoicing', roles: [{ roleKey: 'admin' }] }, server),
  )
}

await signUp('ada', 'acme')
const bo = { userId: 'bo', projectId: 'invoicing', roles: [{ roleKey: 'admin' }] }
assert((await iam.userGrants.give(bo, { caller: { userId: 'bo', orgId: 'acme' } })).isErr())
assert((await iam.userGrants.give(bo, { caller: { userId: 'ada', orgId: 'acme' } })).isOk())
console.log('Done')
