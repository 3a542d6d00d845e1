import type {
  AccessReads,
  Affected,
  AffectedByGroup,
  AffectedByProvider,
  AffectedInProject,
  AffectedQuery,
  AffectedRole,
  FoundAccess,
  HeldRole,
  HeldRolesQuery,
  Holder,
  HoldersQuery,
  MappedGroup,
  MappedGroupsQuery,
  Slice,
  UserRoles,
  UsersQuery,
} from '../../ports/access-reads.js'
import { type Position, timeOf } from '../../ports/event-store.js'
import {
  compareCodePoints,
  firstOf,
  keyOfHeldRole,
  keyOfHolder,
} from '../../projections/row-order.js'
import { getOrAdd } from '../../projections/rows.js'
import { type HeldByUser, usersFrom } from '../../projections/users.js'
import {
  type Assignment,
  type Counted,
  countedOfMember,
  countedOfUser,
  countsOn,
  exists,
  foundAccess,
  type Group,
  type GroupHeld,
  groupsOf,
  hasRoleAt,
  type IsMeant,
  isActive,
  isCurrent,
  isOpen,
  isReportedFor,
  keyOfPlace,
  type Member,
  type Moment,
  onPlaces,
  type Project,
  type Role,
  type Share,
  type Thing,
  unknownRole,
  versionAt,
  type World,
} from '../../projections/world.js'

/** The access reads of a read model in memory. */
export const accessIn = (world: () => World): AccessReads => ({
  access: async (query) => copyOfFound(foundAccess(world(), query)),
  heldRoles: async (query) => heldRolesIn(world(), query),
  holders: async (query) => holdersIn(world(), query),
  users: async (query) => usersIn(world(), query),
  affected: async (query) => affectedIn(world(), query),
  mappedGroups: async (query) => mappedGroupsIn(world(), query),
})

/** A copy of the result, so that callers cannot change stored data. */
const copyOfFound = ({ project, grants, mapped, ...found }: FoundAccess): FoundAccess => ({
  ...found,
  project: project && { ...project },
  grants: grants.map(({ roles, ...grant }) => ({
    ...grant,
    roles: roles.map((role) =>
      role.expiresAt ? { ...role, expiresAt: new Date(role.expiresAt) } : { ...role },
    ),
  })),
  mapped: mapped.map((role) => ({ ...role, via: { ...role.via } })),
})

const heldRolesIn = (world: World, query: HeldRolesQuery): Slice<HeldRole> => {
  const { orgId, userId, projectId, projectOrgId, resource: queriedResource, at } = query
  const { roleKey, permission } = query
  const found: HeldRole[] = []
  const add = (
    last: Assignment | undefined,
    via: HeldRole['via'],
    count: (held: Assignment, role: Assignment['roles'][number]) => Counted | undefined,
  ): void => {
    const held = versionAt(last, at)
    for (const role of held?.roles ?? []) {
      const { organization, resource, role: projectRole } = role.share
      const { project } = organization
      if (!held || (projectId !== undefined && project.id !== projectId)) continue
      if (projectOrgId !== undefined && project.orgId !== projectOrgId) continue
      if (roleKey !== undefined && projectRole.found.roleKey !== roleKey) continue
      if (permission !== undefined && !hasPermission(projectRole, permission, at)) continue
      if (!isCurrent(role.share, at) || !isOpen(organization, at)) continue
      const counted = count(held, role)
      if (!counted) continue
      found.push({
        projectOrgId: project.orgId,
        projectId: project.id,
        ...(exists(project) ? projectRole.found : unknownRole(projectRole.found.roleKey)),
        ...(resource !== undefined && { resource }),
        ...(counted.expiresAt && { expiresAt: new Date(counted.expiresAt) }),
        via,
      })
    }
  }
  for (const { scope, usersOn } of world.users.get(orgId)?.get(userId) ?? [])
    for (const { value } of onPlaces(
      world.held.get(userId, scope),
      usersOn.get(userId),
      queriedResource,
    ))
      add(value, 'grant', (held, role) => countedOfUser(held, role, query))
  for (const each of groupsOf(world, orgId, userId, at)) {
    const { provider, name } = each.group
    if (!isActive(provider, at)) continue
    for (const last of heldIn(each.group, queriedResource))
      add(last, { idpId: provider.idpId, group: name }, (held, role) =>
        countedOfMember(held, role, each, query),
      )
  }
  return sliceOf(found, query, keyOfHeldRole)
}

/** What the members of a group last had in all projects; with a resource, what may count on it. */
const heldIn = function* ({ held, heldOn }: Group, resource?: string): Generator<Assignment> {
  yield* held.values()
  for (const on of heldOn.values()) for (const { value } of on.from('', resource)) yield value
}

const holdersIn = (world: World, query: HoldersQuery): Slice<Holder> => {
  const { after, limit } = query
  const found: Holder[] = []
  for (const holder of holdersFrom(world, query)) {
    if (after && compareKeys(keyOfHolder(holder), after) <= 0) continue
    if (found.length === limit) return { items: found, hasMore: true }
    found.push(holder)
  }
  return { items: found, hasMore: false }
}

/** The holders in order, from about the place of `after` on. */
const holdersFrom = function* (world: World, query: HoldersQuery): Generator<Holder> {
  const { projectId, resource, roleKey, permission, userOrgId, at, after = [] } = query
  const ofOwner = world.projects.get(query.orgId)
  const [firstRole = '', firstOrg = '', firstResource = '', ...firstHolder] = after.slice(-6)
  const firstPlace = keyOfPlace(firstOrg, firstResource)
  const firstProject = projectId ?? (after.length > 0 ? after[0] : '')
  for (const { value: project } of ofOwner?.from(firstProject, projectId) ?? []) {
    if (!exists(project, at)) continue
    const isFirst = project.id === firstProject
    for (const { value: role } of project.roles.from(isFirst ? firstRole : '', roleKey)) {
      if (!exists(role, at)) continue
      if (permission !== undefined && !hasPermission(role, permission, at)) continue
      const isFirstRole = isFirst && role.found.roleKey === firstRole
      const ofOrg = userOrgId === undefined ? '' : keyOfPlace(userOrgId, undefined)
      const start = isFirstRole && firstPlace > ofOrg ? firstPlace : ofOrg
      for (const { key, value: shares } of role.shares.from(start)) {
        if (!key.startsWith(ofOrg)) break
        const share = currentOf(shares, at)
        if (!share || (resource !== undefined && !countsOn(share.resource, resource))) continue
        const after = isFirstRole && key === firstPlace ? firstHolder : []
        for (const { userId, expiresAt, given, via } of holdersOf(share, query, after))
          yield {
            userId,
            orgId: share.organization.orgId,
            ...(projectId === undefined && { projectId: project.id }),
            roleKey: role.found.roleKey,
            ...(share.resource !== undefined && { resource: share.resource }),
            ...(expiresAt && { expiresAt: new Date(expiresAt) }),
            from: timeOf(given),
            via,
          }
      }
    }
  }
}

const hasPermission = ({ last }: Role, permission: string, at: Moment['at']): boolean => {
  const state = versionAt(last, at)?.state
  return state !== undefined && 'permissions' in state && state.permissions.includes(permission)
}

/** At most one of the shares of a role is current. */
const currentOf = (shares: readonly Share[] | undefined, at: Moment['at']): Share | undefined =>
  shares?.findLast((share) => isCurrent(share, at))

/** A user for whom a role counts. */
interface CountedHolder extends Counted, Pick<Holder, 'userId' | 'via'> {}

/** Whose roles count, and when. */
interface Counting extends Moment {
  readonly userId?: string | undefined
  /** Counts as active. */
  readonly assumed?: Thing | undefined
}

/** The users for whom the role of a share counts, in order, from about the place of `start` on. */
const holdersOf = function* (
  share: Share,
  counting: Counting,
  [idpId = '', group = '', firstUser = '']: readonly string[] = [],
): Generator<CountedHolder> {
  const { at, assumed } = counting
  if (!isCurrent(share, at) || !isOpen(share.organization, at, assumed)) return
  if (idpId === '') yield* usersOf(share, counting, firstUser)
  const first = idpId === '' ? '' : `${idpId}\0${group}`
  for (const { key, value } of share.groups.from(first))
    yield* holdersInGroup(
      share,
      value,
      counting,
      membersOf(value, counting, key === first ? firstUser : ''),
    )
}

const holderOf = (
  userId: string,
  via: Holder['via'],
  { expiresAt, given }: Counted,
): CountedHolder => ({ userId, via, expiresAt, given })

/** The users for whom the role of a share counts by a grant; the share is current. */
const usersOf = function* (
  share: Share,
  counting: Counting,
  firstUser = '',
): Generator<CountedHolder> {
  const { at, userId: only } = counting
  for (const { key: userId, value: last } of share.users.from(firstUser, only)) {
    const held = versionAt(last, at)
    const role = held?.roles.find((each) => each.share === share)
    const counted = held && role && countedOfUser(held, role, counting)
    if (counted) yield holderOf(userId, 'grant', counted)
  }
}

/** A member of a group, and the report that says so. */
interface GroupUser {
  readonly userId: string
  readonly member: Member
}

/** The members of a group for whom its roles count, in order. */
const membersOf = function* (
  { group, held: last }: GroupHeld,
  { at, now, assumed, userId: only }: Counting,
  firstUser = '',
): Generator<GroupUser> {
  const held = isActive(group.provider, at, assumed) ? versionAt(last, at) : undefined
  if (!held) return
  // Thousands of reports may be older than a mapping.
  const counts = (report: Member) => isReportedFor(held, report, now)
  for (const { key: userId, value: report } of group.members.from(firstUser, only, counts)) {
    const member = versionAt(report, at)
    if (member?.groups.includes(group)) yield { userId, member }
  }
}

/** The users for whom the role of a share counts as members of a group; the share is current. */
const holdersInGroup = function* (
  share: Share,
  { group, held: last }: GroupHeld,
  counting: Counting,
  members: Iterable<GroupUser>,
): Generator<CountedHolder> {
  const held = versionAt(last, counting.at)
  const role = held?.roles.find((each) => each.share === share)
  if (!held || !role) return
  const via = { idpId: group.provider.idpId, group: group.name }
  for (const { userId, member } of members) {
    const counted = countedOfMember(held, role, { group, member }, counting)
    if (counted) yield holderOf(userId, via, counted)
  }
}

/**
 * Of each role that counts, in each way, the first holders after the last page: one more than the limit. So the first
 * users of all are among them, with all their roles, however many users there are.
 */
const usersIn = (world: World, query: UsersQuery): Slice<UserRoles> => {
  const {
    orgId,
    projectId,
    projectOrgId,
    resource: queriedResource,
    roleKey,
    permission,
    at,
  } = query
  const held: HeldByUser[] = []
  const members: FirstMembers = new Map()
  for (const organization of world.organizations.get(orgId) ?? []) {
    const { project } = organization
    if (projectId !== undefined && project.id !== projectId) continue
    if (projectOrgId !== undefined && project.orgId !== projectOrgId) continue
    if (!isOpen(organization, at)) continue
    for (const { value: role } of project.roles.from('', roleKey)) {
      if (permission !== undefined && !hasPermission(role, permission, at)) continue
      for (const share of sharesOf(role, orgId, at)) {
        const { resource } = share
        if (queriedResource !== undefined && !countsOn(resource, queriedResource)) continue
        const found = {
          projectOrgId: project.orgId,
          projectId: project.id,
          roleKey: role.found.roleKey,
          displayName: exists(project) ? role.found.displayName : '',
          ...(resource !== undefined && { resource }),
        }
        for (const { userId, expiresAt, given, via } of firstHoldersOf(share, query, members))
          held.push({
            userId,
            role: {
              ...found,
              ...(expiresAt && { expiresAt: new Date(expiresAt) }),
              via,
              since: timeOf(given),
            },
          })
      }
    }
  }
  return usersFrom(held, query.limit)
}

/** The current shares of a role in an organization, for the whole project and on resources. */
const sharesOf = function* (role: Role, orgId: string, at: Moment['at']): Generator<Share> {
  const first = keyOfPlace(orgId, undefined)
  for (const { key, value } of role.shares.from(first)) {
    if (!key.startsWith(first)) return
    const share = currentOf(value, at)
    if (share) yield share
  }
}

/** The first members of groups, found once for all roles of a mapping. */
type FirstMembers = Map<Assignment, readonly GroupUser[]>

/** In each way the first users for whom the role of a share counts, which is current. */
const firstHoldersOf = function* (
  share: Share,
  query: UsersQuery,
  found: FirstMembers,
): Generator<CountedHolder> {
  const last = query.after?.[0]
  yield* firstOfPage(query, (counting) => usersOf(share, counting, last))
  for (const { value } of share.groups.from()) {
    const members = getOrAdd(found, value.held, () => [
      ...firstOfPage(query, (counting) => membersOf(value, counting, last)),
    ])
    yield* holdersInGroup(share, value, query, members)
  }
}

/** Of what is found, the first users after the last page. */
const firstOfPage = function* <Found extends { readonly userId: string }>(
  { userIds, after, limit, now, at }: UsersQuery,
  find: (counting: Counting) => Iterable<Found>,
): Generator<Found> {
  const last = after?.[0]
  let count = 0
  for (const only of userIds ?? [undefined])
    for (const holder of find({ now, at, ...(only !== undefined && { userId: only }) })) {
      if (last !== undefined && compareCodePoints(holder.userId, last) <= 0) continue
      yield holder
      if (userIds === undefined && ++count > limit) return
    }
}

const affectedIn = (world: World, query: AffectedQuery): Affected => {
  const affected = new Map<
    string,
    { readonly key: readonly string[]; readonly role: AffectedRole }
  >()
  for (const { project, ...role } of affectedRoles(world, query)) {
    const { orgId, userId, roleKey, resource = '' } = role
    const key = [roleKey, orgId, userId, resource, project.orgId, project.id]
    affected.set(JSON.stringify(key), { key, role })
  }
  const { items } = sliceOf([...affected.values()], { limit: query.limit }, ({ key }) => key)
  return { count: affected.size, first: items.map(({ role }) => role) }
}

interface RoleInProject extends AffectedRole {
  readonly project: Project
}

/** The roles that a query is about, one for each way to have them. */
const affectedRoles = (world: World, query: AffectedQuery): Iterable<RoleInProject> => {
  if ('members' in query) return rolesOfMembers(world, query)
  return 'provider' in query ? rolesByProvider(world, query) : rolesInProject(world, query)
}

const rolesInProject = function* (
  world: World,
  { orgId, projectId, roleKeys, userOrgId, asIfActive, at, now }: AffectedInProject,
): Generator<RoleInProject> {
  const project = world.projects.get(orgId)?.get(projectId)
  if (!project) return
  const assumed = userOrgId === undefined ? project : project.organizations.get(userOrgId)
  const counting = { at, now, assumed: asIfActive && assumed }
  for (const roleKey of roleKeys ?? [undefined])
    for (const { value: role } of project.roles.from('', roleKey))
      for (const { value: shares } of role.shares.from()) {
        const share = currentOf(shares, at)
        if (userOrgId !== undefined && share?.organization.orgId !== userOrgId) continue
        if (share) yield* rolesOfShare(share, holdersOf(share, counting))
      }
}

const rolesOfShare = function* (
  { role, organization: { project, orgId }, resource }: Share,
  holders: Iterable<CountedHolder>,
): Generator<RoleInProject> {
  for (const { userId } of holders)
    yield {
      project,
      orgId,
      userId,
      roleKey: role.found.roleKey,
      ...(resource !== undefined && { resource }),
    }
}

/** The roles that users have only through the groups of a provider. */
const rolesByProvider = function* (
  world: World,
  { provider: { orgId, idpId }, asIfActive, at, now }: AffectedByProvider,
): Generator<RoleInProject> {
  const provider = world.providers.get(orgId)?.get(idpId)
  if (!provider) return
  const counting = { at, now, assumed: asIfActive && provider }
  const isMeant = (group: Group) => group.provider !== provider
  for (const group of provider.groups.values())
    for (const held of heldIn(group))
      for (const { share } of versionAt(held, at)?.roles ?? []) {
        if (!isCurrent(share, at) || !isOpen(share.organization, at)) continue
        const { organization, resource } = share
        const of = { group, held }
        for (const role of rolesOfShare(
          share,
          holdersInGroup(share, of, counting, membersOf(of, counting)),
        )) {
          const place = { organization, resource, userId: role.userId }
          if (!hasRoleAt(world, place, { roleKey: role.roleKey }, { at, now }, isMeant)) yield role
        }
      }
}

/** Roles of the members of a group who have them in no other way. */
const rolesOfMembers = function* (
  world: World,
  {
    orgId: projectOrgId,
    projectId,
    resource,
    roleKeys,
    at,
    now,
    members,
    others = [],
  }: AffectedByGroup,
): Generator<RoleInProject> {
  const { orgId, idpId, after, until } = members
  const project = world.projects.get(projectOrgId)?.get(projectId)
  const provider = world.providers.get(orgId)?.get(idpId)
  const group = provider?.groups.get(members.group)
  if (!project || !provider || !group || !isActive(provider, at)) return
  const organization = project.organizations.get(orgId)
  if (!isOpen(organization ?? { project, orgId, last: undefined }, at)) return
  const changed = new Map<Group, Set<string | undefined>>()
  /** The groups whose members have the roles by changed mappings, and the reports that count. */
  const giving: (readonly [Group, after: Position])[] = []
  for (const other of others) {
    const of = world.providers.get(orgId)?.get(other.idpId)
    const found = of?.groups.get(other.group)
    if (!of || !found || !isActive(of, at)) continue
    getOrAdd(changed, found, () => new Set()).add(other.resource)
    if (other.after !== undefined && countsOn(other.resource, resource))
      giving.push([found, other.after])
  }
  const isOther: IsMeant = (each, on) =>
    (each !== group || on !== resource) && !changed.get(each)?.has(on)
  const isGiven = (userId: string) =>
    giving.some(([other, above]) => {
      const report = versionAt(other.members.get(userId), at)
      return report?.groups.includes(other) && report.begin > above
    })
  for (const roleKey of roleKeys) {
    for (const { key: userId, value } of group.members.from()) {
      const member: Member | undefined = versionAt(value, at)
      if (!member?.groups.includes(group) || member.begin <= after) continue
      if (until !== undefined && member.begin > until) continue
      const place = organization && { organization, resource, userId }
      if (place && hasRoleAt(world, place, { roleKey }, { at, now }, isOther)) continue
      if (isGiven(userId)) continue
      yield { project, orgId, userId, roleKey, ...(resource !== undefined && { resource }) }
    }
  }
}

const mappedGroupsIn = (
  { providers }: World,
  { orgId, idpId, groups }: MappedGroupsQuery,
): readonly MappedGroup[] => {
  const provider = providers.get(orgId)?.get(idpId)
  if (!provider || !exists(provider)) return []
  return groups.flatMap((name) => {
    const group = provider.groups.get(name)
    const places = group ? [...group.held.keys(), ...group.heldOn.keys()] : []
    return [...new Set(places)].flatMap((organization) => {
      if (!group || !exists(organization.project)) return []
      const all = onPlaces(group.held.get(organization), group.heldOn.get(organization))
      return [...all].flatMap(({ value }) => {
        const held = versionAt(value)
        if (!held) return []
        const { since, state } = held
        const validFor = 'validFor' in state ? state.validFor : undefined
        return { group: name, since, ...(validFor !== undefined && { validFor }) }
      })
    })
  })
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
