import * as z from 'zod/mini'
import {
  type AggregateDefinition,
  defineAggregate,
  filterableText,
  type ObjectDetails,
  plainList,
  type ViewOf,
} from '../aggregate.js'
import { IdpId, type MembershipRef, UserId } from '../values.js'
import { membership } from './decider.js'
import { MembershipEvent } from './events.js'

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

/**
 * The membership after `event`; undefined if it does not exist. The end of its provider is an event of another stream.
 */
export const membershipView = (
  _: MembershipView | undefined,
  event: MembershipEvent,
): MembershipView | undefined => {
  switch (event.type) {
    case 'membership.reported': {
      const { idpId, userId, groups } = event.data
      return { idpId, userId, groups: Object.freeze([...groups]), state: 'active' }
    }
    case 'membership.removed':
      return undefined
  }
}

const groupsIn = (event: MembershipEvent): readonly string[] => {
  switch (event.type) {
    case 'membership.reported':
      return event.data.groups
    case 'membership.removed':
      return []
  }
}

/** Memberships of users in groups of identity providers. */
export const memberships = defineAggregate({
  type: 'membership',
  label: 'membership',
  ids: z.strictObject({ idpId: IdpId, userId: UserId }),
  // The user comes last, because the id may contain a `+`.
  keyIds: ['idpId', 'userId'],
  decider: membership,
  events: MembershipEvent.def.options,
  effects: { 'membership.reported': 'adds', 'membership.removed': 'removes' },
  view: membershipView,
  states: ['active'],
  fields: {
    idpId: filterableText((view) => view.idpId),
    userId: filterableText((view) => view.userId),
    groups: plainList,
  },
  target: ({ idpId }) => ({ type: 'identity_provider', id: idpId }),
  memberships: { membershipScope: ({ idpId, userId }) => ({ idpId, userId }), groupsIn },
  partOf: 'identity_provider',
  permissions: { read: 'membership.read', write: 'membership.write' },
} satisfies AggregateDefinition<MembershipRef, MembershipView, MembershipEvent>)
