import type { RoleOfUser, Slice, UserRoles } from '../ports/access-reads.js'
import { compareCodePoints, keyOfSource } from './row-order.js'
import { getOrAdd } from './rows.js'

/** A role of a user, in one way. */
export interface HeldByUser {
  readonly userId: string
  readonly role: RoleOfUser
}

/** The first `limit` users of `held`, which has all roles of these users and of one more. */
export const usersFrom = (held: readonly HeldByUser[], limit: number): Slice<UserRoles> => {
  const rolesOf = new Map<string, RoleOfUser[]>()
  for (const { userId, role } of held) getOrAdd(rolesOf, userId, () => []).push(role)
  const userIds = [...rolesOf.keys()].sort(compareCodePoints)
  const items = userIds.slice(0, limit).map((userId) => ({
    userId,
    roles: (rolesOf.get(userId) ?? []).sort(byRole),
  }))
  return { items, hasMore: userIds.length > limit }
}

const byRole = (one: RoleOfUser, other: RoleOfUser): number =>
  compareCodePoints(one.projectOrgId, other.projectOrgId) ||
  compareCodePoints(one.projectId, other.projectId) ||
  compareCodePoints(one.resource ?? '', other.resource ?? '') ||
  compareCodePoints(one.roleKey, other.roleKey) ||
  bySource(keyOfSource(one.via), keyOfSource(other.via))

const bySource = ([idpId, group]: readonly string[], [otherIdpId, otherGroup]: readonly string[]) =>
  compareCodePoints(idpId ?? '', otherIdpId ?? '') ||
  compareCodePoints(group ?? '', otherGroup ?? '')
