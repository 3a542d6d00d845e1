// Restores a damaged event from a backup. Run it with `node docs/examples/repair.ts`.
import assert from 'node:assert/strict'
import { aesGcmCipher, copyEvents, createIam, memoryEventStore, verify } from 'claviger'

const keys = { k1: crypto.getRandomValues(new Uint8Array(32)) }
const secrets = aesGcmCipher({ current: 'k1', keys })
const context = { caller: { userId: 'u1', orgId: 'acme' } }
const [store, damaged, backup] = [memoryEventStore(), memoryEventStore(), memoryEventStore()]
const iam = createIam({ store, secrets, authorize: () => true })

await iam.projects.add({ id: 'portal', name: 'Portal' }, context)
await copyEvents(store, backup)
await iam.projects.add({ id: 'shop', name: 'Shop' }, context)
const [portal, shop] = await store.readAll(0n, 2)
assert(portal && shop)
await damaged.restore([{ ...portal, data: { id: 'portal' } }, shop]) // the name is lost

const fault = (await verify(damaged, { secrets }))._unsafeUnwrapErr()
console.log(fault) // CorruptEvent, version 1 of project-acme+portal, in its data.name

const repaired = await copyEvents(damaged, backup, { secrets })
assert(repaired.isOk() && repaired.value.copied === 1)
