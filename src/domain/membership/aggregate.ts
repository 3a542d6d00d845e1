import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  exists,
  filterableText,
  type ObjectDetails,
  type ViewOf,
} from '../aggregate.js'
import type { Decider, NotFound } from '../decider.js'
import { type GroupName, IdpId, type MembershipRef, UserId } from '../values.js'
import type { MembershipCommand, RemoveMembership, ReportMembership } from './command-schemas.js'
import { MembershipEvent } from './events.js'

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

/** An identity provider's last report about a user as reads return it. */
export interface Membership {
  /** The provider. */
  readonly idpId: string
  /** Your id of the user. */
  readonly userId: string
  /** The user's groups that had a mapping when they were reported, sorted by code point. */
  readonly groups: readonly string[]
  /** Always active: reads do not return removed memberships, nor memberships of a removed provider. */
  readonly state: 'active'
  /** Owner, times and position of the object; `changeDate` is the time of the report. */
  readonly details: ObjectDetails
}

/** The fields of {@link Membership} that its own events set. */
export type MembershipView = ViewOf<Membership>

/** Memberships of users in groups of identity providers. */
export const memberships = defineAggregate({
  type: 'membership',
  label: 'membership',
  ids: z.strictObject({ idpId: IdpId, userId: UserId }),
  // The user comes last, because the id may contain a `+`.
  keyIds: ['idpId', 'userId'],
  decider: membership,
  events: MembershipEvent.def.options,
  adds: 'membership.reported',
  removes: 'membership.removed',
  show: ({ status, groups }, { idpId, userId }): MembershipView => ({
    idpId,
    userId,
    groups: Object.freeze([...groups]),
    state: status,
  }),
  fact: ({ groups }, { idpId, userId }, orgId) => ({ in: 'member', orgId, idpId, userId, groups }),
  within: ['identity_provider'],
  states: ['active'],
  fields: {
    idpId: filterableText,
    userId: filterableText,
    groups: { holds: 'list' },
  },
  target: ({ idpId }) => ({ type: 'identity_provider', id: idpId }),
  permissions: { read: 'membership.read', write: 'membership.write' },
} satisfies AggregateDefinition<MembershipRef, MembershipView, MembershipEvent, MembershipState>)
