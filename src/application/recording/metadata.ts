import type { Metadata } from '../../ports/event-store.js'
import type { AdmittedCall } from '../method/context.js'

/** Marks events as made by a desired state. */
export interface Marks {
  readonly managedBy?: string | undefined
  /** Version of the desired state; only with `managedBy`. */
  readonly version?: number | undefined
  /** Whether the desired state protects the objects after that; only with `managedBy`. */
  readonly protect?: boolean | undefined
}

/** The key as stores have it: each organization has its own. */
export const storedKey = (orgId: string, idempotencyKey: string): string =>
  `${orgId}+${idempotencyKey}`

/** The metadata of an append: actor, organization and marks. */
export type MetadataOf = (call: AdmittedCall, marks?: Marks, commandHash?: string) => Metadata

/**
 * @see MetadataOf
 *
 * Successive equal metadata are one frozen object, so that a memory store keeps it once and a database serializes it
 * once.
 */
export const metadataFactory = (): MetadataOf => {
  let last: Metadata | undefined
  return (call, marks = {}, commandHash) => {
    const { actorId, actorOrgId, orgId, correlationId, reason, idempotencyKey } = call
    if (
      last?.actor.userId !== actorId ||
      last.actor.orgId !== actorOrgId ||
      last.resourceOwner !== orgId
    ) {
      const actor = Object.freeze({ userId: actorId, orgId: actorOrgId })
      last = Object.freeze({ actor, resourceOwner: orgId })
    }
    const { managedBy, version: managedVersion, protect } = marks
    if ((correlationId ?? reason ?? managedBy ?? idempotencyKey) === undefined) return last
    return {
      ...last,
      ...(correlationId !== undefined && { correlationId }),
      ...(reason !== undefined && { reason }),
      ...(managedBy !== undefined && { managedBy }),
      ...(managedVersion !== undefined && { managedVersion }),
      ...(protect === true && { protect }),
      ...(idempotencyKey !== undefined && { idempotencyKey: storedKey(orgId, idempotencyKey) }),
      ...(commandHash !== undefined && { commandHash }),
    }
  }
}
