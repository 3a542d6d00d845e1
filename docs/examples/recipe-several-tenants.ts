// One person in several tenants. Run it with `node docs/examples/recipe-several-tenants.ts`.
import assert from 'node:assert/strict'
import { aesGcmCipher, createIam, memoryEventStore, orThrow } from 'claviger'

const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })
const organizationsOf = new Map([['ada', ['acme', 'globex']]]) // yours

for (const orgId of ['acme', 'globex']) {
  const server = { caller: { userId: 'server', orgId } }
  await orThrow(iam.projects.add({ id: 'invoicing', name: 'Invoicing' }, server))
  await orThrow(
    iam.projectRoles.add(
      { projectId: 'invoicing', roleKey: 'viewer', displayName: 'Viewer' },
      server,
    ),
  )
}
const viewer = { userId: 'ada', projectId: 'invoicing', roles: [{ roleKey: 'viewer' }] }
await orThrow(iam.userGrants.add(viewer, { caller: { userId: 'server', orgId: 'acme' } }))

/** For the page where a person chooses an organization. */
const rolesIn = async (userId: string) =>
  Promise.all(
    (organizationsOf.get(userId) ?? []).map(async (orgId) => {
      const held = await orThrow(
        iam.access.rolesOf({ userId }, { caller: { userId: 'server', orgId } }),
      )
      return { orgId, roleKeys: held.items.map(({ roleKey }) => roleKey) }
    }),
  )
assert.deepEqual(await rolesIn('ada'), [
  { orgId: 'acme', roleKeys: ['viewer'] },
  { orgId: 'globex', roleKeys: [] },
])
console.log('Done')
