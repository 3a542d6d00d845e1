import {
  aesGcmCipher,
  createIam,
  type EventStore,
  type Iam,
  memoryEventStore,
  memoryReadModel,
  orThrow,
} from 'claviger'
import type { Imported } from 'claviger/import'

/** A library in memory whose caller may do everything. */
export const emptyIam = (): { readonly store: EventStore; readonly iam: Iam } => {
  const store = memoryEventStore()
  const iam = createIam({
    store,
    readModel: memoryReadModel(),
    secrets: aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(1) } }),
    authorize: () => true,
  })
  return { store, iam }
}

export const contextOf = (orgId: string) => ({ caller: { userId: 'mover', orgId } })

/** Applies all that was read, as the guide says: every access first. */
export const moveIn = async (iam: Iam, { organizations }: Imported) => {
  for (const { orgId, access } of organizations) await orThrow(iam.apply(access, contextOf(orgId)))
  let refused = 0
  for (const { orgId, userGrants } of organizations) {
    const report = await orThrow(iam.userGrants.import({ grants: userGrants }, contextOf(orgId)))
    refused += report.refusedCount
  }
  return { refused }
}
