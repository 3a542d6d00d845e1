import type { Metadata } from '../../ports/event-store.js'
import type { AdmittedCall } from '../method/context.js'

/** The key as stores know it: each organization has its own. */
export const storedKey = (orgId: string, idempotencyKey: string): string =>
  `${orgId}+${idempotencyKey}`

/** Tells the circumstances of an append: who acts, for whom, by which marks. */
export type MetadataOf = (
  call: AdmittedCall,
  managedBy?: string,
  managedVersion?: number,
) => Metadata

/**
 * @see MetadataOf
 *
 * Appends in a row that differ in nothing share one frozen object: a store that keeps events in
 * memory keeps it once.
 */
export const metadataFactory = (): MetadataOf => {
  let last: Metadata = frozen({ userId: '', orgId: '' }, '')
  return (
    { actorId, actorOrgId, orgId, correlationId, idempotencyKey },
    managedBy,
    managedVersion,
  ) => {
    const { actor, resourceOwner } = last
    if (actor.userId !== actorId || actor.orgId !== actorOrgId || resourceOwner !== orgId) {
      last = frozen({ userId: actorId, orgId: actorOrgId }, orgId)
    }
    if ((correlationId ?? managedBy ?? idempotencyKey) === undefined) return last
    return {
      ...last,
      ...(correlationId !== undefined && { correlationId }),
      ...(managedBy !== undefined && { managedBy }),
      ...(managedVersion !== undefined && { managedVersion }),
      ...(idempotencyKey !== undefined && { idempotencyKey: storedKey(orgId, idempotencyKey) }),
    }
  }
}

const frozen = (actor: Metadata['actor'], resourceOwner: string): Metadata =>
  Object.freeze({ actor: Object.freeze(actor), resourceOwner })
