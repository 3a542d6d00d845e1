// Who may give which roles. Run it with `node docs/examples/authorize-roles.ts`.
import assert from 'node:assert/strict'
import { type Authorize, aesGcmCipher, createIam, memoryEventStore } from 'claviger'

const authorize: Authorize = ({ caller, permission, roleKeys }) => {
  if (caller.userId === 'admin') return true
  if (permission === 'user.grant.read') return true
  return permission === 'user.grant.write' && roleKeys?.every((key) => key === 'viewer') === true
}

const keys = { k1: crypto.getRandomValues(new Uint8Array(32)) }
const secrets = aesGcmCipher({ current: 'k1', keys })
const iam = createIam({ store: memoryEventStore(), secrets, authorize })
const as = (userId: string) => ({ caller: { userId, orgId: 'acme' } })

await iam.projects.add({ id: 'portal', name: 'Portal' }, as('admin'))
const roles = ['viewer', 'editor'].map((roleKey) => ({ roleKey, displayName: roleKey }))
await iam.projectRoles.addMany({ projectId: 'portal', roles }, as('admin'))

const bob = { userId: 'bob', projectId: 'portal' }
const viewer = [{ roleKey: 'viewer' }]
assert((await iam.userGrants.add({ ...bob, roles: viewer }, as('support'))).isOk())
const editor = [{ roleKey: 'editor' }]
const refused = await iam.userGrants.addRoles({ ...bob, roles: editor }, as('support'))
assert(refused.isErr() && refused.error.kind === 'PermissionDenied')

await iam.userGrants.addRoles({ ...bob, roles: editor }, as('admin'))
assert((await iam.userGrants.remove(bob, as('support'))).isErr()) // bob is an editor, too
assert((await iam.userGrants.removeRoles({ ...bob, roleKeys: ['viewer'] }, as('support'))).isOk())
console.log('Done')
