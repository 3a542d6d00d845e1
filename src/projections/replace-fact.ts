import type {
  Fact,
  GivenRole,
  HeldFact,
  MemberFact,
  PermittedRole,
  ProjectGrantFact,
  ProviderFact,
} from '../domain/facts.js'
import { projects } from '../domain/project/aggregate.js'
import type { Position } from '../ports/event-store.js'
import { HeldByUser } from './held-by-user.js'
import { compareCodePoints } from './row-order.js'
import { foundProject, getOrAdd } from './rows.js'
import { SortedMap } from './sorted-map.js'
import {
  type AssignedRole,
  type Assignment,
  type Generation,
  type Group,
  heldByGroup,
  heldByUser,
  isCurrent,
  isOwner,
  keyOfPlace,
  type Member,
  type Organization,
  type Project,
  type Provider,
  type Role,
  type Share,
  type Thing,
  unknownRole,
  type Version,
  type World,
} from './world.js'

/** No facts yet. */
export const emptyWorld = (keepsPast: boolean): World => ({
  keepsPast,
  projects: new Map(),
  providers: new Map(),
  providersOf: new Map(),
  organizations: new Map(),
  held: new HeldByUser(),
  users: new Map(),
  shares: 0,
})

/** Replaces the fact of one object. `fact` is the new one; the last one of an object that does not exist any more. */
export const replaceFact = (world: World, fact: Fact, change: Change): void => {
  if (fact.in === 'provider') replaceProvider(world, fact, change)
  else if (fact.in === 'member') replaceMember(world, fact, change)
  else {
    const project = projectIn(world, fact.projectOrgId, fact.projectId)
    if (fact.in === 'project') replaceProject(world, project, change)
    else if (fact.in === 'role') replaceRole(world, roleIn(project, fact.roleKey), change)
    else {
      const organization = organizationIn(world, project, fact.orgId)
      if (fact.in === 'project_grant') replaceProjectGrant(world, organization, change)
      else replaceHeld(world, organization, fact, change)
    }
  }
}

/** A state that begins. */
export type Begun = Omit<Version, 'end' | 'before'>

/** What follows the last version of an object. */
export interface Change {
  readonly begun: Begun | undefined
  /** Of the event. */
  readonly position: Position
}

/** Replaces the last version of an object. */
const replaceVersion = ({ keepsPast }: World, thing: Thing, { begun, position }: Change): void => {
  const { last } = thing
  if (keepsPast && last) last.end ??= position
  if (begun) {
    // Property by property, as everywhere below: a spread takes several times as long, and more memory.
    const { state, since, begin, given } = begun
    const before = keepsPast ? last : undefined
    thing.last = { state, since, begin, given, end: undefined, before }
  } else if (!keepsPast) thing.last = undefined
}

const replaceProject = (world: World, project: Project, change: Change): void => {
  replaceVersion(world, project, change)
  const { begun } = change
  const { orgId, id } = project
  project.found =
    begun && 'projectRoleCheck' in begun.state
      ? foundProject(projects.show(begun.state))
      : undefined
  if (begun || world.keepsPast) return
  world.projects.get(orgId)?.delete(id)
  world.held.end(project.scopes)
}

const replaceRole = (world: World, role: Role, change: Change): void => {
  replaceVersion(world, role, change)
  const { begun, position } = change
  const { roleKey } = role.found
  const current = role.generations.at(-1)
  if (!begun || !('permissions' in begun.state)) {
    if (current) current.end ??= position
    role.found = unknownRole(roleKey)
    return
  }
  const { since, displayName, group, permissions } = begun.state
  role.found = { roleKey, displayName, group, permissions }
  role.generations = withGeneration(role.generations, since, position)
}

/** Begins a generation, unless it goes on. */
const withGeneration = (
  generations: readonly Generation[],
  since: number,
  begin: Position,
): readonly Generation[] => {
  const current = generations.at(-1)
  if (current?.since === since) return generations
  return [...generations, { since, begin, end: undefined }]
}

const replaceProjectGrant = (world: World, organization: Organization, change: Change): void => {
  replaceVersion(world, organization, change)
  const { begun, position } = change
  const roles = begun && 'roles' in begun.state ? begun.state.roles : []
  const sinceOf = new Map<string, number>()
  for (const role of roles) if ('since' in role) sinceOf.set(role.roleKey, role.since)
  const { permits } = organization
  for (const [roleKey, generations] of permits) {
    const current = generations.at(-1)
    if (current && current.since !== sinceOf.get(roleKey)) current.end ??= position
  }
  for (const [roleKey, since] of sinceOf)
    permits.set(roleKey, withGeneration(permits.get(roleKey) ?? [], since, position))
}

const replaceHeld = (
  world: World,
  organization: Organization,
  fact: HeldFact,
  change: Change,
): void => {
  const { holder } = fact
  if ('userId' in holder) replaceHeldByUser(world, organization, holder.userId, fact, change)
  else {
    const { idpId, group: name } = holder
    const group = groupIn(providerIn(world, fact.orgId, idpId), name)
    const last = world.keepsPast ? heldByGroup(group, organization, fact.resource) : undefined
    if (last) last.end ??= change.position
    if (!change.begun) {
      if (world.keepsPast) return
      if (fact.resource === undefined) group.held.delete(organization)
      else deleteOn(group.heldOn, organization, fact.resource)
      return
    }
    const shares = sharesIn(world, organization, fact)
    const held = nextHeld(fact, shares, change.begun, last)
    if (fact.resource === undefined) group.held.set(organization, held)
    else setOn(group.heldOn, organization, fact.resource, held)
    if (world.keepsPast)
      for (const share of shares) share.groups.set(`${idpId}\0${name}`, { group, held })
  }
}

const replaceHeldByUser = (
  world: World,
  organization: Organization,
  userId: string,
  fact: HeldFact,
  { begun, position }: Change,
): void => {
  const { keepsPast, held } = world
  const { scope, orgId, usersOn } = organization
  const { resource } = fact
  const last = keepsPast ? heldByUser(world, organization, userId, resource) : undefined
  if (last) last.end ??= position
  if (!begun) {
    if (keepsPast) return
    if (resource === undefined) held.delete(userId, scope)
    else deleteOn(usersOn, userId, resource)
    return
  }
  const shares = sharesIn(world, organization, fact)
  const make = () => nextHeld(fact, shares, begun, last)
  if (!keepsPast && resource === undefined) {
    const isOwn = fact.roles.some(({ expiresAt }) => expiresAt !== undefined)
    // Users share what many hold.
    const key = isOwn ? undefined : `${fact.state} ${shares.map(({ number }) => number).join()}`
    held.set(userId, scope, key, make)
    return
  }
  const next = make()
  if (resource === undefined) held.set(userId, scope, undefined, () => next)
  else setOn(usersOn, userId, resource, next)
  if (!keepsPast) return
  for (const share of shares) share.users.set(userId, next)
  const ofOrganization = getOrAdd(world.users, orgId, () => new Map<string, Set<Organization>>())
  getOrAdd(ofOrganization, userId, () => new Set()).add(organization)
}

type HeldOn<Holder> = Map<Holder, SortedMap<Assignment>>

const setOn = <Holder>(
  on: HeldOn<Holder>,
  holder: Holder,
  resource: string,
  held: Assignment,
): void => getOrAdd(on, holder, () => new SortedMap<Assignment>()).set(resource, held)

const deleteOn = <Holder>(on: HeldOn<Holder>, holder: Holder, resource: string): void => {
  const ofHolder = on.get(holder)
  ofHolder?.delete(resource)
  if (ofHolder?.size === 0) on.delete(holder)
}

/** The shares of the roles of a fact, in their order. */
const sharesIn = (
  world: World,
  organization: Organization,
  { roles, resource }: HeldFact,
): readonly Share[] => roles.map((role) => shareIn(world, { organization, resource }, role))

/** The version that follows `last`. */
const nextHeld = (
  { roles: givenRoles }: HeldFact,
  shares: readonly Share[],
  { state, since, begin, given: givenAt }: Begun,
  last: Assignment | undefined,
): Assignment => {
  const roles = shares.map((share, index): AssignedRole => {
    const { expiresAt } = givenRoles[index] ?? {}
    return {
      share,
      expiresAt: expiresAt === undefined ? undefined : new Date(expiresAt),
      given: givenAt[index] ?? begin,
    }
  })
  roles.sort((one, other) => compareCodePoints(keyOf(one), keyOf(other)))
  return { state, since, begin, given: givenAt, end: undefined, before: last, roles }
}

const keyOf = ({ share }: AssignedRole): string => share.role.found.roleKey

/** Without the past, nobody is listed. */
const NOBODY = new SortedMap<never>()

/** The generation of a role that is given, as its organization has it. */
const shareIn = (
  world: World,
  { organization, resource }: Pick<Share, 'organization' | 'resource'>,
  givenRole: GivenRole,
): Share => {
  const { keepsPast } = world
  const { roleKey, roleSince } = givenRole
  const grantSince = isOwner(organization) ? undefined : (givenRole.grantSince ?? 0)
  const role = roleIn(organization.project, roleKey)
  const place = keyOfPlace(organization.orgId, resource)
  const shares = role.shares.get(place) ?? []
  const known = shares.findLast(
    ({ generation, permit }) => generation.since === roleSince && permit?.since === grantSince,
  )
  if (known) return known
  const permits = organization.permits.get(roleKey)
  const share: Share = {
    role,
    organization,
    resource,
    generation: generationIn(role.generations, roleSince),
    permit: grantSince === undefined ? undefined : generationIn(permits, grantSince),
    users: keepsPast ? new SortedMap() : NOBODY,
    groups: keepsPast ? new SortedMap() : NOBODY,
    number: world.shares++,
  }
  role.shares.set(place, [...shares, share])
  return share
}

/** The generation that began with that version; one that never lasts if no event began it. */
const generationIn = (generations: readonly Generation[] | undefined, since: number): Generation =>
  generations?.findLast((each) => each.since === since) ?? { since, begin: 0n, end: 0n }

/** Whether a role of a fact that holds right after the event at a position, or now, is current then. */
export const isCurrentIn = (
  world: World,
  fact: ProjectGrantFact | HeldFact,
  role: GivenRole | PermittedRole,
  at?: Position,
): boolean => {
  const { roleKey, roleSince } = role
  const project = projectIn(world, fact.projectOrgId, fact.projectId)
  const generation = generationIn(roleIn(project, roleKey).generations, roleSince)
  if (fact.in === 'project_grant' || fact.orgId === fact.projectOrgId)
    return isCurrent({ generation, permit: undefined }, at)
  const { permits } = organizationIn(world, project, fact.orgId)
  const since = 'grantSince' in role ? (role.grantSince ?? 0) : 0
  return isCurrent({ generation, permit: generationIn(permits.get(roleKey), since) }, at)
}

const replaceProvider = (world: World, { orgId, idpId }: ProviderFact, change: Change): void => {
  const provider = providerIn(world, orgId, idpId)
  replaceVersion(world, provider, change)
  if (change.begun || world.keepsPast) return
  world.providers.get(orgId)?.delete(idpId)
  provider.members.clear()
}

const replaceMember = (
  world: World,
  { orgId, idpId, userId, groups: names }: MemberFact,
  { begun, position }: Change,
): void => {
  const { keepsPast } = world
  const provider = providerIn(world, orgId, idpId)
  const { members } = provider
  const last = members.get(userId)
  if (keepsPast && last) last.end ??= position
  if (!keepsPast && (!begun || names.length === 0)) members.delete(userId)
  else if (begun) {
    const groups = names.map((name) => groupIn(provider, name))
    const before = keepsPast ? last : undefined
    const { state, since, begin, given } = begun
    const member: Member = { state, since, begin, given, end: undefined, before, groups }
    members.set(userId, member)
    if (keepsPast) for (const group of groups) group.members.set(userId, member)
  }
  if (members.has(userId) !== (last !== undefined)) listProviders(world, provider, orgId, userId)
}

/** Lists the providers of a user again. A provider that is gone has no members any more. */
const listProviders = (
  { providersOf }: World,
  provider: Provider,
  orgId: string,
  userId: string,
): void => {
  const ofUsers = getOrAdd(providersOf, orgId, () => new Map<string, readonly Provider[]>())
  const listed = [...(ofUsers.get(userId) ?? []), provider]
  const providers = listed.filter(({ members }) => members.has(userId))
  if (providers.length > 0) ofUsers.set(userId, providers)
  else ofUsers.delete(userId)
}

/** The project of that owner and id, which may not exist. */
export const projectIn = ({ projects, held }: World, orgId: string, id: string): Project =>
  getOrAdd(projects, orgId, () => new SortedMap<Project>()).getOrAdd(id, () => ({
    orgId,
    id,
    last: undefined,
    roles: new SortedMap(),
    organizations: new Map(),
    scopes: held.newGroup(),
    found: undefined,
  }))

const roleIn = (project: Project, roleKey: string): Role =>
  project.roles.getOrAdd(roleKey, () => ({
    last: undefined,
    generations: [],
    shares: new SortedMap(),
    found: unknownRole(roleKey),
  }))

const organizationIn = (
  { held, organizations }: World,
  project: Project,
  orgId: string,
): Organization =>
  getOrAdd(project.organizations, orgId, () => {
    const organization: Organization = {
      project,
      orgId,
      last: undefined,
      permits: new Map(),
      scope: held.newScope(project.scopes),
      usersOn: new Map(),
    }
    getOrAdd(organizations, orgId, () => new Set<Organization>()).add(organization)
    return organization
  })

/** The provider of that organization and id, which may not exist. */
export const providerIn = ({ providers }: World, orgId: string, idpId: string): Provider =>
  getOrAdd(
    getOrAdd(providers, orgId, () => new Map<string, Provider>()),
    idpId,
    () => ({ idpId, last: undefined, groups: new Map(), members: new Map() }),
  )

const groupIn = (provider: Provider, name: string): Group =>
  getOrAdd(provider.groups, name, () => ({
    provider,
    name,
    held: new Map(),
    heldOn: new Map(),
    members: new SortedMap(),
  }))
