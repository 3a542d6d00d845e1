import { identityProviders } from '../domain/identity-provider/aggregate.js'
import { memberships } from '../domain/membership/aggregate.js'
import { type ProjectView, projects } from '../domain/project/aggregate.js'
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
} from '../ports/access-reads.js'
import { type Position, timeOf } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import { byMappedRole, compareCodePoints } from './row-order.js'
import { foundProject, getOrAdd, projectScope } from './rows.js'

/** The current roles of users after the events applied so far, without the past. */
export interface PresentAccess {
  /** Applies the next event of the log. */
  readonly apply: (event: KnownEvent) => void
  /** The result of a read model's `access`, at once. Parts of it are shared, so do not change it. */
  readonly access: (query: AccessQuery) => FoundAccess
}

interface Project {
  view: ProjectView | undefined
  /** What a question finds of `view`. */
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
  /** The active grant of this role alone, which most users have: they share it. Absent when the role has an end. */
  readonly alone?: UserGrant
}

interface UserGrant {
  readonly state: UserGrantView['state']
  /** By role key. */
  readonly roles: readonly HeldRole[]
}

/** A provider, and what its groups give. */
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
  readonly validForMs: number | undefined
  readonly roles: readonly GivenRole[]
}

interface Member {
  readonly reported: Position
  readonly groups: readonly string[]
}

/**
 * The state before the first event. A role that ends does so for all users by one flag, so that no event takes longer
 * with more users, and a grant of a role takes few bytes.
 */
export const presentAccess = (): PresentAccess => {
  const owners: Owners = new Map()
  const providers: Providers = new Map()
  return {
    apply: (event) => applyTo(owners, providers, event),
    access: (query) => {
      const { orgId, userId, projectOrgId, projectId } = query
      const project = owners.get(projectOrgId)?.get(projectId)
      const organization = project?.organizations.get(orgId)
      const own = providers.get(orgId)
      const mapped = project && own ? mappedRoles(own, query) : NO_ROLES
      return foundAccess(project, organization, organization?.users.get(userId), mapped)
    },
  }
}

/** By owner, then by id. Nothing is kept of a removed project. */
type Owners = Map<string, Map<string, Project>>

/** By organization, then by id. Nothing is kept of a removed provider. */
type Providers = Map<string, Map<string, Provider>>

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

const applyTo = (owners: Owners, providers: Providers, event: KnownEvent): void => {
  const orgId = event.metadata.resourceOwner
  if (projects.reads(event)) {
    const { id } = event.data
    const project = projectIn(owners, orgId, id)
    project.view = projects.view(project.view, event)
    project.found = project.view && foundProject(project.view)
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
  } else if (identityProviders.reads(event)) {
    const { idpId } = event.data
    if (identityProviders.effectOf(event) === 'removes') providers.get(orgId)?.delete(idpId)
    else if (event.type === 'identity_provider.deactivated')
      providerIn(providers, orgId, idpId).isActive = false
    else if (event.type === 'identity_provider.reactivated')
      providerIn(providers, orgId, idpId).isActive = true
  } else if (roleMappings.reads(event)) {
    changeMapping(owners, providerIn(providers, orgId, event.data.idpId), event)
  } else if (memberships.reads(event)) {
    const { idpId, userId } = event.data
    const { members } = providerIn(providers, orgId, idpId)
    const groups = memberships.memberships.groupsIn(event)
    if (groups.length === 0) members.delete(userId)
    else members.set(userId, { reported: event.position, groups })
  }
}

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
  const held = roles?.sort(byKey) ?? before?.roles ?? []
  const shared = held.length === 1 && view.state === 'active' ? held[0]?.alone : undefined
  users.set(userId, shared ?? { state: view.state, roles: held })
}

const byKey = (one: HeldRole, other: HeldRole): number =>
  compareCodePoints(one.given.role.found.roleKey, other.given.role.found.roleKey)

/** A role as an organization gives it now. One that was added again is another role than those that were given. */
const heldRole = (given: Organization['given'], role: Role): HeldRole => {
  const { roleKey } = role.found
  const last = given.get(roleKey)
  if (last?.given.role === role) return last
  const roles: HeldRole[] = []
  const held: HeldRole = { given: { role, isWithdrawn: false }, alone: { state: 'active', roles } }
  roles.push(held)
  given.set(roleKey, held)
  return held
}

const HOUR_MS = 3_600_000

const changeMapping = (
  owners: Owners,
  { mappings }: Provider,
  event: KnownEvent & RoleMappingEvent,
): void => {
  const { projectOrgId, projectId, group } = event.data
  const byProject = getOrAdd(mappings, group, (): Map<string, Mapping> => new Map())
  const scope = projectScope(projectOrgId, projectId)
  const roles = roleMappings.assignments.assigns.rolesIn(event)
  if (!roles) {
    byProject.delete(scope)
    return
  }
  const isAdded = roleMappings.effectOf(event) === 'adds'
  const validFor = roles[0]?.validFor
  const project = projectIn(owners, projectOrgId, projectId)
  const { given } = organizationIn(project, event.metadata.resourceOwner)
  byProject.set(scope, {
    since: (isAdded ? undefined : byProject.get(scope)?.since) ?? event.position,
    validForMs: validFor === undefined ? undefined : validFor * HOUR_MS,
    roles: roles.map(({ roleKey }) => heldRole(given, roleIn(project.roles, roleKey)).given),
  })
}

const NO_ROLES: readonly FoundMappedRole[] = []

/** The roles of a project that a user has as a member of groups. */
const mappedRoles = (
  providers: ReadonlyMap<string, Provider>,
  { userId, projectOrgId, projectId }: AccessQuery,
): readonly FoundMappedRole[] => {
  const scope = projectScope(projectOrgId, projectId)
  let found: FoundMappedRole[] | undefined
  for (const [idpId, { isActive, mappings, members }] of providers) {
    const member = members.get(userId)
    for (const group of member?.groups ?? []) {
      const mapping = mappings.get(group)?.get(scope)
      if (!member || !mapping || member.reported < mapping.since) continue
      const { validForMs, roles } = mapping
      const expiresAt =
        validForMs === undefined
          ? undefined
          : new Date(timeOf(member.reported).getTime() + validForMs)
      const way = {
        ...(expiresAt && { expiresAt }),
        via: { idpId, group },
        isProviderActive: isActive,
      }
      found ??= []
      for (const { role, isWithdrawn } of roles)
        if (!isWithdrawn && !role.isRemoved) found.push({ ...role.found, ...way })
    }
  }
  return found?.sort(byMappedRole) ?? NO_ROLES
}

const projectIn = (owners: Owners, orgId: string, projectId: string): Project => {
  const owned = getOrAdd(owners, orgId, (): Map<string, Project> => new Map())
  return getOrAdd(owned, projectId, () => ({
    view: undefined,
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

const providerIn = (providers: Providers, orgId: string, idpId: string): Provider => {
  const own = getOrAdd(providers, orgId, (): Map<string, Provider> => new Map())
  return getOrAdd(own, idpId, () => ({ isActive: true, mappings: new Map(), members: new Map() }))
}
