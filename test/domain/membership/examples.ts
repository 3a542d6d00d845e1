import type { MembershipEvent } from '../../../src/domain/membership/events.js'
import { GroupName, IdpId, UserId } from '../../../src/domain/values.js'

export const id = { idpId: IdpId.parse('google'), userId: UserId.parse('anna+1@globex.example') }

export const [admins, staff] = [GroupName.parse('admins'), GroupName.parse('staff+1')]

export const reported = {
  type: 'membership.reported',
  data: { ...id, groups: [admins, staff] },
} as const satisfies MembershipEvent

export const removed = { type: 'membership.removed', data: id } as const
