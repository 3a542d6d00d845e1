import type { ProjectRole } from '../../domain/project-role/aggregate.js'
import { isExpired } from '../../domain/role-generations.js'
import type {
  AccessReads,
  Affected,
  AffectedByGroup,
  AffectedQuery,
  AffectedRole,
  FoundAccess,
  FoundRole,
  HeldRole,
  HeldRolesQuery,
  Holder,
  HoldersQuery,
  MappedGroup,
  MappedGroupsQuery,
  Slice,
} from '../../ports/access-reads.js'
import { type Position, timeOf } from '../../ports/event-store.js'
import { compareCodePoints, firstOf, keyOfWay } from '../../projections/row-order.js'
import { getOrAdd, projectScope } from '../../projections/rows.js'
import type { StoredMember } from './members.js'
import {
  holdsAt,
  placeInScope,
  placeOf,
  providerPlace,
  type State,
  type StoredAssignment,
} from './rows.js'

/** The access reads of a read model in memory. */
export const accessIn = (present: () => State): AccessReads => ({
  access: async (query) => copyOfFound(present().access.access(query)),
  heldRoles: async (query) => heldRolesIn(present(), query),
  holders: async (query) => holdersIn(present(), query),
  affected: async (query) => affectedIn(present(), query),
  mappedGroups: async (query) => mappedGroupsIn(present(), query),
})

/** A copy of the result, so that callers cannot change stored data. */
const copyOfFound = ({ project, roles, mapped, ...found }: FoundAccess): FoundAccess => ({
  ...found,
  project: project && { ...project },
  roles: roles.map((role) =>
    role.expiresAt ? { ...role, expiresAt: new Date(role.expiresAt) } : { ...role },
  ),
  mapped: mapped.map((role) => ({ ...role, via: { ...role.via } })),
})

const heldRolesIn = (state: State, query: HeldRolesQuery): Slice<HeldRole> => {
  const { orgId, userId } = query
  const held: HeldRole[] = []
  const add = (last: StoredAssignment, member?: StoredMember): void => {
    const { projectOrgId, projectId, roleKey } = last
    if (projectId !== (query.projectId ?? projectId)) return
    const assignment = assignedAt(last, query.at)
    if (!assignment || !counts(state, assignment, query)) return
    const terms = member ? termsOfMember(assignment, member, query) : assignment
    if (!terms) return
    const row = state.rows.project_role.get(projectScope(projectOrgId, projectId))?.get(roleKey)
    const role = foundRole({ roleKey, expiresAt: terms.expiresAt }, row)
    const via = member ? { idpId: member.idpId, group: member.group } : 'grant'
    held.push({ projectOrgId, projectId, ...role, via })
  }
  for (const byRole of state.assignments.allOf(orgId, userId).values())
    for (const last of byRole.values()) add(last)
  for (const member of state.members.ofUser(orgId, userId))
    if (holdsAt(member, query.at))
      for (const last of state.assignments.ofGroup(member)) add(last, member)
  return sliceOf(held, query, ({ projectOrgId, projectId, roleKey, via }) => [
    projectOrgId,
    projectId,
    roleKey,
    ...keyOfWay(via),
  ])
}

const holdersIn = (state: State, query: HoldersQuery): Slice<Holder> => {
  const { after, limit } = query
  const found: Holder[] = []
  for (const holder of holdersFrom(state, query)) {
    if (after && compareKeys(keyOfHolder(holder), after) <= 0) continue
    if (found.length === limit) return { items: found, hasMore: true }
    found.push(holder)
  }
  return { items: found, hasMore: false }
}

const byUserId = (one: CountedHolder, other: CountedHolder): number =>
  compareCodePoints(one.userId, other.userId)

/** The holders in order, from the group or user of `after` on. */
const holdersFrom = function* (state: State, query: HoldersQuery): Generator<Holder> {
  const { orgId: projectOrgId, projectId, roleKey, permission, at, after } = query
  const { assignments } = state
  const place = after && placeOfHolder(after)
  const first = after && projectScope(projectOrgId, projectId ?? after[0])
  const scopes =
    projectId === undefined
      ? assignments.scopesOf(projectOrgId, first)
      : [projectScope(projectOrgId, projectId)]
  for (const scope of scopes) {
    const allowing =
      permission === undefined ? undefined : assignments.allowing(scope, permission, at)
    for (const last of assignments.inScope(scope, roleKey, scope === first ? place : undefined)) {
      const assignment = assignedAt(last, at)
      if (!assignment) continue
      if (allowing?.has(assignment.roleKey) === false) continue
      const counted = countedHolders(state, assignment, query)
      for (const { userId, expiresAt, given, via } of counted.toSorted(byUserId)) {
        if (userId !== (query.userId ?? userId)) continue
        yield {
          userId,
          orgId: assignment.orgId,
          ...(projectId === undefined && { projectId: assignment.projectId }),
          roleKey: assignment.roleKey,
          ...(expiresAt && { expiresAt: new Date(expiresAt) }),
          from: timeOf(given),
          via,
        }
      }
    }
  }
}

/** The {@link placeInScope} of the assignment to the user or group of a holder. */
const placeOfHolder = (key: NonNullable<HoldersQuery['after']>): string => {
  const [roleKey = '', orgId = '', idpId = '', group = '', userId = ''] = key.slice(-5)
  return placeInScope({ roleKey, orgId, ...(idpId ? { source: { idpId, group } } : { userId }) })
}

/** A holder's place in the order. */
const keyOfHolder = ({ projectId, roleKey, orgId, via, userId }: Holder): readonly string[] => {
  const key = [roleKey, orgId, ...keyOfWay(via), userId]
  return projectId === undefined ? key : [projectId, ...key]
}

/** A user for whom an assignment counts. */
interface CountedHolder extends Pick<Holder, 'userId' | 'via'> {
  readonly expiresAt: Date | undefined
  readonly given: Position
}

/** The users for whom an assignment counts: its user, or the members of its group. @param except - counts as active */
const countedHolders = (
  state: State,
  assignment: StoredAssignment,
  query: Counting,
  except?: string,
): readonly CountedHolder[] => {
  const { orgId, userId, source, expiresAt, given } = assignment
  if (!counts(state, assignment, query, except)) return []
  if (userId !== undefined) return [{ userId, expiresAt, given, via: 'grant' }]
  if (!source) return []
  return [...state.members.inGroup(orgId, source)].flatMap(
    (member) => (holdsAt(member, query.at) && termsOfMember(assignment, member, query)) || [],
  )
}

const HOUR_MS = 3_600_000

/** The terms of a member's role by an assignment to the group; undefined if the report does not count. */
const termsOfMember = (
  { source, validFor, given }: StoredAssignment,
  member: StoredMember,
  { now }: Counting,
): CountedHolder | undefined => {
  if (!source || member.from < source.since) return undefined
  const { idpId, group, userId } = member
  const expiresAt =
    validFor === undefined
      ? undefined
      : new Date(timeOf(member.from).getTime() + validFor * HOUR_MS)
  if (isExpired({ expiresAt }, now)) return undefined
  const later = member.given > given ? member.given : given
  return { userId, expiresAt, given: later, via: { idpId, group } }
}

/** The assignment of the role of `last` that held at a position; the last one itself when that is absent. */
const assignedAt = (
  last: StoredAssignment,
  at: HeldRolesQuery['at'],
): StoredAssignment | undefined => {
  let found: StoredAssignment | undefined = last
  while (at !== undefined && found && found.from > at) found = found.before
  return found
}

const affectedIn = (state: State, query: AffectedQuery): Affected => {
  const affected = new Map<
    string,
    { readonly key: readonly string[]; readonly role: AffectedRole }
  >()
  for (const [assignment, { userId }] of affectedHolders(state, query)) {
    const { projectOrgId, projectId, orgId, roleKey } = assignment
    const key = [roleKey, orgId, userId, projectScope(projectOrgId, projectId)]
    affected.set(JSON.stringify(key), { key, role: { orgId, userId, roleKey } })
  }
  const { items } = sliceOf([...affected.values()], { limit: query.limit }, ({ key }) => key)
  return { count: affected.size, first: items.map(({ role }) => role) }
}

type AffectedHolder = readonly [
  assignment: Pick<StoredAssignment, 'projectOrgId' | 'projectId' | 'orgId' | 'roleKey'>,
  holder: Pick<CountedHolder, 'userId'>,
]

/** The holders that a query is about, one for each way. */
const affectedHolders = function* (state: State, query: AffectedQuery): Generator<AffectedHolder> {
  if ('members' in query) return yield* membersWithoutOtherWay(state, query)
  if ('provider' in query) {
    const { orgId, idpId } = query.provider
    const hasOther = otherWays(state, query, ({ via }) => via === 'grant' || via.idpId !== idpId)
    const except = query.asIfActive && providerPlace(orgId, idpId)
    for (const last of state.assignments.ofProvider(orgId, idpId)) {
      const assignment = assignedAt(last, query.at)
      if (!assignment) continue
      for (const holder of countedHolders(state, assignment, query, except))
        if (!hasOther(assignment, holder)) yield [assignment, holder]
    }
    return
  }
  const { orgId: projectOrgId, projectId, roleKeys, userOrgId, asIfActive } = query
  const project = { projectOrgId, projectId }
  const except =
    asIfActive && placeOf(userOrgId === undefined ? project : { ...project, orgId: userOrgId })
  for (const each of roleKeys ?? [undefined])
    for (const last of state.assignments.inScope(projectScope(projectOrgId, projectId), each)) {
      const assignment = assignedAt(last, query.at)
      if (!assignment || (userOrgId !== undefined && assignment.orgId !== userOrgId)) continue
      for (const holder of countedHolders(state, assignment, query, except))
        yield [assignment, holder]
    }
}

/** The members of a group who have roles in no other way. */
const membersWithoutOtherWay = function* (
  state: State,
  query: AffectedByGroup,
): Generator<AffectedHolder> {
  const { orgId: projectOrgId, projectId, roleKeys, at, members } = query
  const { orgId, idpId, group, after, until } = members
  const assigned = { projectOrgId, projectId, orgId, source: { idpId, group, since: after } }
  if (state.assignments.isPaused({ ...assigned, roleKey: '', given: 0n, from: 0n }, at)) return
  const hasOther = otherWays(
    state,
    query,
    ({ via }) => via === 'grant' || via.idpId !== idpId || via.group !== group,
  )
  for (const member of state.members.inGroup(orgId, members)) {
    const isMeant = member.from > after && (until === undefined || member.from <= until)
    if (!isMeant || !holdsAt(member, at)) continue
    for (const roleKey of roleKeys)
      if (!hasOther({ ...assigned, roleKey }, member)) yield [{ ...assigned, roleKey }, member]
  }
}

/** A test whether a user has a role in a way that `isMeant`. */
const otherWays = (
  state: State,
  query: Counting,
  isMeant: (holder: CountedHolder) => boolean,
): ((...role: AffectedHolder) => boolean) => {
  const known = new Map<string, ReadonlySet<string>>()
  return ({ projectOrgId, projectId, orgId, roleKey }, { userId }) => {
    const scope = projectScope(projectOrgId, projectId)
    const users = getOrAdd(known, JSON.stringify([scope, roleKey, orgId]), () => {
      const assigned = [...state.assignments.inScope(scope, roleKey)].flatMap(
        (last) => assignedAt(last, query.at) ?? [],
      )
      const ofOrganization = assigned.filter((each) => each.orgId === orgId)
      const holders = ofOrganization.flatMap((each) => countedHolders(state, each, query))
      return new Set(holders.filter(isMeant).map((holder) => holder.userId))
    })
    return users.has(userId)
  }
}

/** When roles count. */
type Counting = Pick<HoldersQuery, 'now' | 'at'>

/** Whether an assignment counts at a position, or as it is. @param except - counts as active */
const counts = (
  { assignments }: State,
  assignment: StoredAssignment,
  { now, at }: Counting,
  except?: string,
): boolean =>
  holdsAt(assignment, at) &&
  !isExpired(assignment, now) &&
  !assignments.isPaused(assignment, at, except)

const mappedGroupsIn = (
  { assignments, rows }: State,
  { orgId, idpId, groups }: MappedGroupsQuery,
): readonly MappedGroup[] =>
  groups.flatMap((group) => {
    const source = { idpId, group }
    const ranges = new Map<string, StoredAssignment>()
    for (const each of assignments.ofGroup({ orgId, ...source }))
      ranges.set(projectScope(each.projectOrgId, each.projectId), each)
    return [...ranges].flatMap(([scope, { projectOrgId, projectId }]) => {
      const row = rows.role_mapping.get(orgId)?.get(`${idpId}+${scope}+${group}`)
      const mapped = assignments.mapped({ projectOrgId, projectId, orgId, source })
      if (!row || !mapped) return []
      const { validFor } = row
      return { group, ...mapped, ...(validFor !== undefined && { validFor }) }
    })
  })

const NO_PERMISSIONS: readonly string[] = Object.freeze([])

const foundRole = (
  { roleKey, expiresAt }: Pick<StoredAssignment, 'roleKey' | 'expiresAt'>,
  row: ProjectRole | undefined,
): FoundRole => {
  const { displayName = '', group = '', permissions = NO_PERMISSIONS } = row ?? {}
  const role = { roleKey, displayName, group, permissions }
  return expiresAt ? { ...role, expiresAt: new Date(expiresAt) } : role
}

/** The page of `items` after the one with the key `after`. */
const sliceOf = <Item>(
  items: readonly Item[],
  { after, limit }: { readonly after?: readonly string[]; readonly limit: number },
  keyOf: (item: Item) => readonly string[],
): Slice<Item> => {
  const keyed = items.map((item) => ({ item, key: keyOf(item) }))
  const following = after ? keyed.filter(({ key }) => compareKeys(key, after) > 0) : keyed
  const page = firstOf(following, limit, (one, other) => compareKeys(one.key, other.key))
  return { items: page.map(({ item }) => item), hasMore: following.length > limit }
}

const compareKeys = (one: readonly string[], other: readonly string[]): number => {
  for (const [index, text] of one.entries()) {
    const compared = other[index]
    if (compared === undefined) throw new RangeError('`after` must have a text for each id or key')
    const difference = compareCodePoints(text, compared)
    if (difference !== 0) return difference
  }
  return 0
}
