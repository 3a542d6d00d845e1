// Offboards a tenant. Run it with `node docs/examples/recipe-offboard.ts`.
import assert from 'node:assert/strict'
import {
  aesGcmCipher,
  createIam,
  defineAccess,
  items,
  memoryEventStore,
  orThrow,
  toJson,
} from 'claviger'

const secrets = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } })
const iam = createIam({ store: memoryEventStore(), secrets, authorize: () => true })
const setUp = { caller: { userId: 'server', orgId: 'acme' } }
const access = defineAccess({
  managedBy: 'portal-code',
  protect: true,
  projects: [{ id: 'portal', name: 'Portal' }],
})
await orThrow(iam.apply(access, setUp))

const offboard = async (orgId: string): Promise<readonly string[]> => {
  const context = { caller: { userId: 'server', orgId } }
  const lines: string[] = [] // yours: a file for the customer
  for await (const entry of items(iam.history.list, {}, context))
    lines.push(JSON.stringify(toJson(entry)))

  const write = { ...context, reason: 'Contract ended' }
  // Otherwise the changes below are refused as Protected.
  await orThrow(iam.apply({ ...access, protect: false, prune: false }, write))
  for await (const { id } of items(iam.projects.list, { filter: { state: 'active' } }, context))
    await orThrow(iam.projects.deactivate({ id }, write))
  for await (const { idpId } of items(
    iam.identityProviders.list,
    { filter: { state: 'active' } },
    context,
  ))
    await orThrow(iam.identityProviders.deactivate({ idpId }, write))
  for await (const { domain } of items(iam.domains.list, {}, context))
    await orThrow(iam.domains.remove({ domain }, write))
  return lines
}
assert.equal((await offboard('acme')).length, 1)
await offboard('acme') // after an interruption: what is done stays done
const question = { userId: 'ada', projectId: 'portal', roleKey: 'viewer' }
const { reasons } = await orThrow(iam.access.check(question, setUp))
assert(reasons.some(({ kind }) => kind === 'ProjectInactive'))
console.log('Done')
