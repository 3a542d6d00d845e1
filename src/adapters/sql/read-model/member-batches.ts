import type { MembershipRange } from '../../../domain/aggregate.js'
import type { Position } from '../../../ports/event-store.js'
import type { AssignmentStore, GroupMember } from '../../../projections/assignments.js'
import { getOrAdd } from '../../../projections/rows.js'
import type { Dialect, Row, Statement } from '../dialect.js'
import { MEMBERS } from './tables.js'

/** The members of groups while a batch of events changes them. */
export interface MemberBatch extends Pick<AssignmentStore, 'groupsOf' | 'join' | 'leave'> {
  /** Adds the stored groups of a user, each with the first of the reports without a break. */
  readonly addStored: (
    orgId: string,
    range: MembershipRange,
    groups: readonly (readonly [group: string, given: string])[],
  ) => void
  /** The statements must run in this order. */
  readonly statements: () => Iterable<Statement>
  /** Whether two statements may change the same row, so that their order matters. */
  readonly isOrdered: () => boolean
}

/** A user in a group, by a report of the batch. */
interface Begun {
  readonly member: GroupMember
  until?: Position
}

/** A membership that has not ended; one that is stored was not begun in the batch. */
interface Open {
  readonly given: Position
  readonly begun?: Begun
}

/** No changes of members yet. */
export const memberBatch = (dialect: Dialect): MemberBatch => {
  /** By organization and provider, then by user, then by group. */
  const open = new Map<string, Map<string, Map<string, Open>>>()
  const begun: Begun[] = []
  /** The ends of the stored groups of a user, and of all users of a provider. */
  const ofUsers = new Map<string, Row>()
  const ofProviders = new Map<string, Row>()

  const usersOf = (orgId: string, { idpId }: MembershipRange) =>
    getOrAdd(open, `${orgId}+${idpId}`, () => new Map<string, Map<string, Open>>())
  const openOf = (orgId: string, range: MembershipRange) =>
    getOrAdd(usersOf(orgId, range), range.userId ?? '', () => new Map<string, Open>())
  const addEnd = (ends: Map<string, Row>, named: readonly string[], until: Position) => {
    const key = JSON.stringify(named)
    if (!ends.has(key)) ends.set(key, [...named, until])
  }

  return {
    addStored: (orgId, range, groups) => {
      const stored = openOf(orgId, range)
      for (const [group, given] of groups) stored.set(group, { given: BigInt(given) })
    },
    groupsOf: (orgId, range) =>
      new Map([...openOf(orgId, range)].map(([group, { given }]) => [group, given])),
    join: (member) => {
      const made: Begun = { member }
      begun.push(made)
      openOf(member.orgId, member).set(member.group, { given: member.given, begun: made })
    },
    leave: (orgId, range, until) => {
      const { idpId, userId } = range
      const users = usersOf(orgId, range)
      for (const each of userId === undefined ? [...users.keys()] : [userId]) {
        for (const { begun: made } of users.get(each)?.values() ?? []) {
          if (made) made.until = until
          else if (userId !== undefined) addEnd(ofUsers, [orgId, idpId, userId], until)
        }
        users.delete(each)
      }
      if (userId === undefined) addEnd(ofProviders, [orgId, idpId], until)
    },
    isOrdered: () => ofUsers.size > 0 && ofProviders.size > 0,
    *statements() {
      const set = ['end_at']
      const by = ['org', 'idp', 'user_id']
      yield* dialect.setWhereNull(MEMBERS, { by, set }, [...ofUsers.values()])
      yield* dialect.setWhereNull(MEMBERS, { by: ['org', 'idp'], set }, [...ofProviders.values()])
      yield* dialect.insert(MEMBERS, begun, ({ member, until = null }) => {
        const { orgId, idpId, group, userId, given, from } = member
        return [orgId, idpId, group, userId, given, from, until]
      })
    },
  }
}
