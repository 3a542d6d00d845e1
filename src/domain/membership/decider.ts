import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { type Decider, exists, type NotFound } from '../decider.js'
import { command } from '../message.js'
import {
  GroupName,
  IdpId,
  listOf,
  MAX_REPORTED_GROUPS,
  type MembershipRef,
  UserId,
} from '../values.js'
import { MembershipEvent, type MembershipRemoved, type MembershipReported } from './events.js'

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
  upcasters: {},
  initialState: { status: 'absent' },
  decide,
  evolve,
}
