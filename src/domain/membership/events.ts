// Storage contract: names and shapes below are persisted forever. Add to them; never change one.
import * as z from 'zod/mini'
import { event } from '../message.js'
import { GroupName, IdpId, UserId } from '../values.js'

const ids = { idpId: IdpId, userId: UserId }

/** A provider reported which groups a user is in. */
export const MembershipReported = event('membership.reported', {
  ...ids,
  groups: z.readonly(z.array(GroupName)),
})
export interface MembershipReported extends z.infer<typeof MembershipReported> {
  /** The provider, the user and the user's groups. */
  readonly data: {
    /** As `Membership.idpId`. */
    readonly idpId: IdpId
    /** As `Membership.userId`. */
    readonly userId: UserId
    /** The groups that had mappings then, sorted by code point, without duplicates. */
    readonly groups: readonly GroupName[]
  }
}

/** A provider's report about a user was removed. */
export const MembershipRemoved = event('membership.removed', ids)
export interface MembershipRemoved extends z.infer<typeof MembershipRemoved> {
  /** The provider and the user. */
  readonly data: Omit<MembershipReported['data'], 'groups'>
}

/** Any event of a membership's stream. */
export const MembershipEvent = z.discriminatedUnion('type', [MembershipReported, MembershipRemoved])
export type MembershipEvent = MembershipReported | MembershipRemoved
