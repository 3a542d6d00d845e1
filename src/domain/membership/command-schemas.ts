import * as z from 'zod/mini'
import { command } from '../message.js'
import { GroupName, IdpId, listOf, MAX_REPORTED_GROUPS, UserId } from '../values.js'
import type { MembershipRemoved, MembershipReported } from './events.js'

const ids = { idpId: IdpId, userId: UserId }

/** Records which mapped groups a provider has a user in. */
export const ReportMembership = command('ReportMembership', {
  ...ids,
  groups: listOf(GroupName, 0, MAX_REPORTED_GROUPS),
  isDue: z.boolean(),
})
export interface ReportMembership extends z.infer<typeof ReportMembership> {
  /** The provider, the user and the user's groups. */
  readonly data: MembershipReported['data'] & {
    /** Whether a report of the same groups has to be recorded again. */
    readonly isDue: boolean
  }
}

/** Removes a provider's report about a user. */
export const RemoveMembership = command('RemoveMembership', ids)
export interface RemoveMembership extends z.infer<typeof RemoveMembership> {
  /** The provider and the user. */
  readonly data: MembershipRemoved['data']
}

/** Any command of a membership. */
export const MembershipCommand = z.discriminatedUnion('type', [ReportMembership, RemoveMembership])
export type MembershipCommand = ReportMembership | RemoveMembership
