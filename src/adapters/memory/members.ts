import type { MembershipRange } from '../../domain/aggregate.js'
import type { RoleSource } from '../../domain/facts.js'
import type { Position } from '../../ports/event-store.js'
import type { AssignmentStore, GroupMember } from '../../projections/assignments.js'
import { getOrAdd } from '../../projections/rows.js'

/** A member of a group, and the end of the membership if it has one. */
export interface StoredMember extends GroupMember {
  until?: Position
}

/** All members of groups that there were. */
export interface Members extends Pick<AssignmentStore, 'groupsOf' | 'join' | 'leave'> {
  /** The members of a group. */
  readonly inGroup: (orgId: string, source: RoleSource) => Iterable<StoredMember>
  /** The memberships of a user. */
  readonly ofUser: (orgId: string, userId: string) => Iterable<StoredMember>
}

/** No members yet. */
export const emptyMembers = (): Members => {
  /** By organization and user; of all groups. */
  const users = new Map<string, StoredMember[]>()
  /** By organization, provider and group. */
  const groups = new Map<string, StoredMember[]>()
  /** By organization and provider, and for each user, those that have not ended. */
  const open = new Map<string, Map<string, StoredMember[]>>()

  const openOf = (orgId: string, { idpId }: MembershipRange) =>
    getOrAdd(open, `${orgId}+${idpId}`, () => new Map<string, StoredMember[]>())

  return {
    inGroup: (orgId, { idpId, group }) => groups.get(`${orgId}+${idpId}+${group}`) ?? [],
    ofUser: (orgId, userId) => users.get(`${orgId}+${userId}`) ?? [],
    groupsOf: (orgId, range) => {
      const members = openOf(orgId, range).get(range.userId ?? '') ?? []
      return new Map(members.map(({ group, given }) => [group, given]))
    },
    join: (member) => {
      const { orgId, idpId, group, userId } = member
      const stored: StoredMember = { ...member }
      getOrAdd(users, `${orgId}+${userId}`, () => []).push(stored)
      getOrAdd(groups, `${orgId}+${idpId}+${group}`, () => []).push(stored)
      getOrAdd(openOf(orgId, member), userId, () => []).push(stored)
    },
    leave: (orgId, range, until) => {
      const byUser = openOf(orgId, range)
      const { userId } = range
      for (const each of userId === undefined ? [...byUser.keys()] : [userId]) {
        for (const member of byUser.get(each) ?? []) member.until = until
        byUser.delete(each)
      }
    },
  }
}
