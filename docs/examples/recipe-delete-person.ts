// Deletes a person. Run it with `node docs/examples/recipe-delete-person.ts`.
import assert from 'node:assert/strict'
import { aesGcmCipher, createIam, memoryEventStore, orThrow } from 'claviger'

const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })
const people = new Map([['u-7', { name: 'Bo', organizations: ['acme'] }]]) // yours

const acme = { caller: { userId: 'server', orgId: 'acme' } }
await orThrow(iam.projects.add({ id: 'portal', name: 'Portal' }, acme))
await orThrow(
  iam.projectRoles.add({ projectId: 'portal', roleKey: 'viewer', displayName: 'Viewer' }, acme),
)
await orThrow(
  iam.userGrants.add({ userId: 'u-7', projectId: 'portal', roles: [{ roleKey: 'viewer' }] }, acme),
)

const deletePerson = async (userId: string): Promise<void> => {
  for (const orgId of people.get(userId)?.organizations ?? []) {
    const context = { caller: { userId: 'server', orgId } }
    await orThrow(iam.userGrants.removeAllOfUser({ userId }, context))
  }
  people.delete(userId) // and their sessions
}
await deletePerson('u-7')
assert.deepEqual((await orThrow(iam.access.rolesOf({ userId: 'u-7' }, acme))).items, [])
console.log('Done')
