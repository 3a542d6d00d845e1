// Storage contract: names and shapes below are persisted for ever. Add to them; never change one.
import * as z from 'zod/mini'
import { event, type Upcasters } from '../message.js'
import { GroupName, IdpId, UserId } from '../values.js'

const ids = { idpId: IdpId, userId: UserId }

/** A provider said which groups a user is in. */
export const MembershipReported = event('membership.reported', {
  ...ids,
  groups: z.readonly(z.array(GroupName)),
})
export interface MembershipReported extends z.infer<typeof MembershipReported> {
  /** Of whom, and what was said. */
  readonly data: {
    /** As `Membership.idpId`. */
    readonly idpId: IdpId
    /** As `Membership.userId`. */
    readonly userId: UserId
    /** Those that mappings of the provider named then, in the order of code points; none twice. */
    readonly groups: readonly GroupName[]
  }
}

/** What a provider said about a user counts no longer. */
export const MembershipRemoved = event('membership.removed', ids)
export interface MembershipRemoved extends z.infer<typeof MembershipRemoved> {
  /** Of whom. */
  readonly data: Omit<MembershipReported['data'], 'groups'>
}

/** Any event of a membership's stream. */
export const MembershipEvent = z.discriminatedUnion('type', [MembershipReported, MembershipRemoved])
export type MembershipEvent = MembershipReported | MembershipRemoved

/** None: every event type is still at version 1. */
export const membershipUpcasters: Upcasters = {}
