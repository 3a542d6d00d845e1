import { identityProviders } from '../domain/identity-provider/aggregate.js'
import { memberships } from '../domain/membership/aggregate.js'
import type { MembershipEvent } from '../domain/membership/events.js'
import { projects } from '../domain/project/aggregate.js'
import { type ProjectGrantView, projectGrants } from '../domain/project-grant/aggregate.js'
import { type ProjectRoleView, projectRoles } from '../domain/project-role/aggregate.js'
import type { ProjectRoleEvent } from '../domain/project-role/events.js'
import { roleMappings } from '../domain/role-mapping/aggregate.js'
import type { RoleMappingEvent } from '../domain/role-mapping/events.js'
import { type UserGrantView, userGrants } from '../domain/user-grant/aggregate.js'
import type { UserGrantEvent } from '../domain/user-grant/events.js'
import type {
  AccessQuery,
  FoundAccess,
  FoundMappedRole,
  FoundProject,
  FoundRole,
  LostRole,
  RoleWay,
  WayKey,
} from '../ports/access-reads.js'
import { type Position, timeOf } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import { compareCodePoints } from './row-order.js'
import { foundProject, getOrAdd, projectScope } from './rows.js'

/** Who has which role after the events applied so far, without any past. */
export interface PresentAccess {
  /** Applies the next event of the log. */
  readonly apply: (event: KnownEvent) => void
  /** As a read model answers it, but at once. Parts of the answer are shared: change nothing in it. */
  readonly access: (query: AccessQuery) => FoundAccess
}

interface Project {
  found: FoundProject | undefined
  /** The current generation of each role. */
  readonly roles: Map<string, Role>
  /** By organization whose users have roles of the project, or that the project is granted to. */
  readonly organizations: Map<string, Organization>
}

/** A generation of a role. */
interface Role {
  found: FoundRole
  isRemoved: boolean
}

interface Organization {
  projectGrant: ProjectGrantView | undefined
  /** What its users are given now: all users who have a role without an end share one. */
  readonly given: Map<string, HeldRole>
  readonly users: Map<string, UserGrant>
}

/** A role as an organization gives it, until the role or the grant of the project ends. */
interface GivenRole {
  readonly role: Role
  /** Whether the grant of the project lost the role before the role was removed. */
  isWithdrawn: boolean
}

interface HeldRole {
  readonly given: GivenRole
  readonly expiresAt?: Date
}

interface UserGrant {
  readonly state: UserGrantView['state']
  /** By role key. */
  readonly roles: readonly HeldRole[]
}

/** An identity provider, with what is known of its groups and users. */
interface Provider {
  isActive: boolean
  /** By group, then by the scope of the project. */
  readonly mappings: Map<string, Map<string, Mapping>>
  /** The last report of each user. */
  readonly members: Map<string, Member>
}

interface Mapping {
  /** The event that added it: reports above it count. */
  readonly since: Position
  readonly validForMs: number
  readonly roles: readonly HeldRole[]
}

interface Member {
  readonly reported: Position
  readonly groups: readonly string[]
}

/** By organization, then by id. Nothing is kept of a removed provider. */
type Providers = Map<string, Map<string, Provider>>

/**
 * The state before the first event. A role that ends does so for all users by one flag, so that no event takes longer
 * with more users, and a grant of a role takes few bytes.
 */
export const presentAccess = (): PresentAccess => {
  /** By owner, then by id. Nothing is kept of a removed project. */
  const owners = new Map<string, Map<string, Project>>()
  const providers: Providers = new Map()
  return {
    apply: (event) => {
      applyTo(owners, event)
      applyToProviders(providers, owners, event)
    },
    access: ({ orgId, userId, projectOrgId, projectId }) => {
      const project = owners.get(projectOrgId)?.get(projectId)
      const organization = project?.organizations.get(orgId)
      const scope = projectScope(projectOrgId, projectId)
      const mapped = mappedRoles(project && providers.get(orgId), userId, scope)
      return foundAccess(project, organization, organization?.users.get(userId), mapped)
    },
  }
}

const NO_ROLES: readonly FoundMappedRole[] = []

/** The roles that a user has as a member of groups of `providers`. */
const mappedRoles = (
  providers: ReadonlyMap<string, Provider> | undefined,
  userId: string,
  scope: string,
): readonly FoundMappedRole[] => {
  let found: FoundMappedRole[] | undefined
  for (const [idpId, { isActive, mappings, members }] of providers ?? []) {
    const member = members.get(userId)
    for (const group of member?.groups ?? []) {
      const mapping = mappings.get(group)?.get(scope)
      if (!member || !mapping || member.reported < mapping.since) continue
      const { validForMs, roles } = mapping
      const end = timeOf(member.reported).getTime() + validForMs
      const expiry = validForMs === Number.POSITIVE_INFINITY ? {} : { expiresAt: new Date(end) }
      const via = { idpId, group }
      found ??= []
      for (const { given } of roles)
        if (!given.isWithdrawn && !given.role.isRemoved)
          found.push({ ...given.role.found, ...expiry, via, isProviderActive: isActive })
    }
  }
  return found?.sort(byMappedRole) ?? NO_ROLES
}

/** A place in the order of ways: a grant comes before groups. */
export const keyOfWay = (via: RoleWay): WayKey =>
  via === 'grant' ? ['', ''] : [via.idpId, via.group]

/** The order of {@link FoundAccess.mapped}. */
export const byMappedRole = (one: FoundMappedRole, other: FoundMappedRole): number =>
  compareCodePoints(one.roleKey, other.roleKey) ||
  compareCodePoints(one.via.idpId, other.via.idpId) ||
  compareCodePoints(one.via.group, other.via.group)

const foundAccess = (
  project: Project | undefined,
  organization: Organization | undefined,
  userGrant: UserGrant | undefined,
  mapped: readonly FoundMappedRole[],
): FoundAccess => {
  const roles: FoundRole[] = []
  const lost: LostRole[] = []
  for (const { given, expiresAt } of userGrant?.roles ?? []) {
    const { found, isRemoved } = given.role
    if (given.isWithdrawn) lost.push({ roleKey: found.roleKey, with: 'project_grant' })
    else if (isRemoved) lost.push({ roleKey: found.roleKey, with: 'role' })
    else roles.push(expiresAt ? { ...found, expiresAt } : found)
  }
  return {
    project: project?.found,
    projectGrant: organization?.projectGrant?.state,
    userGrant: userGrant?.state,
    roles,
    lost,
    mapped,
  }
}

type Owners = Map<string, Map<string, Project>>

const applyTo = (owners: Owners, event: KnownEvent): void => {
  const orgId = event.metadata.resourceOwner
  if (projects.reads(event)) {
    const { id } = event.data
    const project = projectIn(owners, orgId, id)
    const view = projects.view(project.found && { ...project.found, id }, event)
    project.found = view && foundProject(view)
    if (projects.effectOf(event) === 'removes') owners.get(orgId)?.delete(id)
  } else if (projectRoles.reads(event)) {
    const { projectId, roleKey } = event.data
    const { roles } = projectIn(owners, orgId, projectId)
    changeRole(roles, roleIn(roles, roleKey), event)
  } else if (projectGrants.reads(event)) {
    const { projectId, grantedOrgId } = event.data
    const organization = organizationIn(projectIn(owners, orgId, projectId), grantedOrgId)
    const before = organization.projectGrant
    const after = projectGrants.view(before, event, orgId)
    organization.projectGrant = after
    const isRemoved = projectGrants.effectOf(event) === 'removes'
    const lost = isRemoved
      ? organization.given.keys()
      : before?.roleKeys.filter((roleKey) => !after?.roleKeys.includes(roleKey))
    withdraw(organization.given, lost ?? [])
  } else if (userGrants.reads(event)) {
    const { projectOrgId, projectId } = event.data
    changeUserGrant(projectIn(owners, projectOrgId, projectId), orgId, event)
  }
}

const applyToProviders = (providers: Providers, owners: Owners, event: KnownEvent): void => {
  const orgId = event.metadata.resourceOwner
  if (identityProviders.reads(event)) {
    const { idpId } = event.data
    const isRemoved = identityProviders.effectOf(event) === 'removes'
    if (isRemoved) providers.get(orgId)?.delete(idpId)
    else if (event.type === 'identity_provider.deactivated')
      providerIn(providers, orgId, idpId).isActive = false
    else if (event.type === 'identity_provider.reactivated')
      providerIn(providers, orgId, idpId).isActive = true
  } else if (roleMappings.reads(event)) changeMapping(providers, owners, event, orgId)
  else if (memberships.reads(event)) {
    const { members } = providerIn(providers, orgId, event.data.idpId)
    changeMember(members, event)
  }
}

const changeMember = (members: Provider['members'], event: KnownEvent & MembershipEvent): void => {
  const { userId } = event.data
  const groups = memberships.memberships.groupsIn(event)
  if (groups.length === 0) members.delete(userId)
  else members.set(userId, { reported: event.position, groups })
}

const changeMapping = (
  providers: Providers,
  owners: Owners,
  event: KnownEvent & RoleMappingEvent,
  orgId: string,
): void => {
  const { idpId, group, projectOrgId, projectId } = event.data
  const { mappings } = providerIn(providers, orgId, idpId)
  const ofGroup = getOrAdd(mappings, group, () => new Map<string, Mapping>())
  const scope = projectScope(projectOrgId, projectId)
  const assigned = roleMappings.assignments.assigns.rolesIn(event)
  if (!assigned) {
    ofGroup.delete(scope)
    return
  }
  const project = projectIn(owners, projectOrgId, projectId)
  const { given } = organizationIn(project, orgId)
  const isAdded = roleMappings.effectOf(event) === 'adds'
  const before = isAdded ? undefined : ofGroup.get(scope)
  ofGroup.set(scope, {
    since: before?.since ?? event.position,
    validForMs: (assigned[0]?.validFor ?? Number.POSITIVE_INFINITY) * HOUR_MS,
    roles: assigned.map(({ roleKey }) => heldRole(given, roleIn(project.roles, roleKey))),
  })
}

const HOUR_MS = 3_600_000

const providerIn = (providers: Providers, orgId: string, idpId: string): Provider =>
  getOrAdd(
    getOrAdd(providers, orgId, () => new Map<string, Provider>()),
    idpId,
    () => ({ isActive: true, mappings: new Map(), members: new Map() }),
  )

const changeRole = (roles: Project['roles'], role: Role, event: ProjectRoleEvent): void => {
  const { projectId, roleKey } = event.data
  const view = projectRoles.view({ projectId, ...role.found, state: 'active' }, event)
  if (view) role.found = foundRole(view)
  else {
    role.isRemoved = true
    roles.delete(roleKey)
  }
}

const foundRole = ({ roleKey, displayName, group, permissions }: ProjectRoleView): FoundRole => ({
  roleKey,
  displayName,
  group,
  permissions,
})

/** Takes roles that the grant of the project has `lost` from the users of an organization. */
const withdraw = (given: Organization['given'], lost: Iterable<string>): void => {
  for (const roleKey of lost) {
    const held = given.get(roleKey)
    if (held) held.given.isWithdrawn = !held.given.role.isRemoved
    given.delete(roleKey)
  }
}

const changeUserGrant = (project: Project, orgId: string, event: UserGrantEvent): void => {
  const { userId, projectId, projectOrgId } = event.data
  const organization = organizationIn(project, orgId)
  const { users } = organization
  const before = users.get(userId)
  const shown = before && { userId, projectId, projectOrgId, roles: [], state: before.state }
  const view = userGrants.view(shown, event)
  if (!view) {
    users.delete(userId)
    return
  }
  const assigned = userGrants.assignments.assigns.rolesIn(event)
  const roles = assigned?.map(({ roleKey, expiresAt }): HeldRole => {
    const held = heldRole(organization.given, roleIn(project.roles, roleKey))
    return expiresAt ? { given: held.given, expiresAt } : held
  })
  users.set(userId, { state: view.state, roles: roles?.sort(byKey) ?? before?.roles ?? [] })
}

const byKey = (one: HeldRole, other: HeldRole): number =>
  compareCodePoints(one.given.role.found.roleKey, other.given.role.found.roleKey)

/** A role as an organization gives it now. One that was added again is another role than those that were given. */
const heldRole = (given: Organization['given'], role: Role): HeldRole => {
  const { roleKey } = role.found
  const last = given.get(roleKey)
  if (last?.given.role === role) return last
  const held = { given: { role, isWithdrawn: false } }
  given.set(roleKey, held)
  return held
}

const projectIn = (owners: Owners, orgId: string, projectId: string): Project => {
  const owned = getOrAdd(owners, orgId, (): Map<string, Project> => new Map())
  return getOrAdd(owned, projectId, () => ({
    found: undefined,
    roles: new Map(),
    organizations: new Map(),
  }))
}

const roleIn = (roles: Project['roles'], roleKey: string): Role =>
  getOrAdd(roles, roleKey, () => ({
    found: { roleKey, displayName: '', group: '', permissions: [] },
    isRemoved: false,
  }))

const organizationIn = ({ organizations }: Project, orgId: string): Organization =>
  getOrAdd(organizations, orgId, () => ({
    projectGrant: undefined,
    given: new Map(),
    users: new Map(),
  }))
