import { err, ok, type Result } from 'neverthrow'
import { type Decider, exists, type NotFound } from '../decider.js'
import type { GroupName, MembershipRef } from '../values.js'
import type { MembershipCommand, RemoveMembership, ReportMembership } from './commands.js'
import { MembershipEvent, membershipUpcasters } from './events.js'

/** The state of a membership, on which its commands are decided. */
export type MembershipState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'active'
      /** The groups of the last report. */
      readonly groups: readonly GroupName[]
    }

/** Errors of a membership's commands. */
export type MembershipRefusal = NotFound<MembershipRef>

type Decision = Result<readonly MembershipEvent[], MembershipRefusal>

/** Records nothing for a user without groups before and after, and the same groups only when that is due. */
const report = ({ data }: ReportMembership, state: MembershipState): Decision => {
  const { isDue, ...reported } = data
  const before = exists(state) ? state.groups : []
  const isSame =
    reported.groups.length === before.length &&
    reported.groups.every((group, index) => group === before[index])
  return ok(isSame && !isDue ? [] : [{ type: 'membership.reported', data: reported }])
}

const remove = ({ data }: RemoveMembership, state: MembershipState): Decision => {
  if (exists(state)) return ok([{ type: 'membership.removed', data }])
  const { idpId, userId } = data
  return err({ kind: 'NotFound', object: { type: 'membership', idpId, userId } })
}

const decide = (command: MembershipCommand, state: MembershipState): Decision => {
  switch (command.type) {
    case 'ReportMembership':
      return report(command, state)
    case 'RemoveMembership':
      return remove(command, state)
  }
}

const evolve = (_: MembershipState, event: MembershipEvent): MembershipState => {
  switch (event.type) {
    case 'membership.reported':
      return { status: 'active', groups: event.data.groups }
    case 'membership.removed':
      return { status: 'absent' }
  }
}

/** The groups that a provider last reported a user in. */
export const membership: Decider<
  MembershipCommand,
  MembershipState,
  MembershipEvent,
  MembershipRefusal
> = {
  eventSchema: MembershipEvent,
  upcasters: membershipUpcasters,
  initialState: { status: 'absent' },
  decide,
  evolve,
}
