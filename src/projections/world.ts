import type { AnyState } from '../domain/aggregates.js'
import type { Activity } from '../domain/facts.js'
import { isExpired } from '../domain/role-generations.js'
import type {
  AccessQuery,
  FoundAccess,
  FoundGrant,
  FoundMappedRole,
  FoundProject,
  FoundRole,
  LostRole,
} from '../ports/access-reads.js'
import { type Position, timeOf } from '../ports/event-store.js'
import type { HeldByUser } from './held-by-user.js'
import { byMappedRole } from './row-order.js'
import type { SortedMap } from './sorted-map.js'

/**
 * Who has which role, and what makes a role count. A role that a user was given points at the generations that it rests
 * on: the role, and where another organization owns the project, the permission to give it. A generation ends once, by
 * an event of its own stream. So no event changes anything of the users, and an old role never comes back.
 */
export interface World {
  /** Whether facts are kept after they end, and users are listed. Without the past, a grant takes few bytes. */
  readonly keepsPast: boolean
  /** By owner, then by id. */
  readonly projects: Map<string, SortedMap<Project>>
  /** By organization, then by id. */
  readonly providers: Map<string, Map<string, Provider>>
  /** The providers that list a user among their {@link Provider.members}, by organization and user. */
  readonly providersOf: Map<string, Map<string, readonly Provider[]>>
  /** Beside which projects an organization is, by organization. */
  readonly organizations: Map<string, Set<Organization>>
  /** The last grant of each user, by the {@link Organization.scope}. */
  readonly held: HeldByUser<Assignment>
  /** Where users ever had roles of their own, by organization and user. Only with the past. */
  readonly users: Map<string, Map<string, Set<Organization>>>
  /** How many shares there are. */
  shares: number
}

/** A state of an object, which holds from the event that led to it until it is replaced. */
export interface Version {
  readonly state: AnyState
  /** The event that added the object. */
  readonly since: Position
  readonly begin: Position
  /** As in `Dated`. */
  readonly given: readonly Position[]
  end: Position | undefined
  /** The version that it replaced; undefined without the past. */
  readonly before: Version | undefined
}

/** An object with its last version; undefined if it never existed. */
export interface Thing {
  last: Version | undefined
}

/** A project, which may not exist. */
export interface Project extends Thing {
  readonly orgId: string
  readonly id: string
  readonly roles: SortedMap<Role>
  /** By organization that the project is granted to, or whose users have roles of it. */
  readonly organizations: Map<string, Organization>
  /** Number of the scopes of its {@link organizations}, which end with it. */
  readonly scopes: number
  found: FoundProject | undefined
}

/** A role of a project, in all its generations. */
export interface Role extends Thing {
  /** Oldest first. */
  generations: readonly Generation[]
  /** The generations as organizations have them, by {@link keyOfPlace}. Oldest first. */
  readonly shares: SortedMap<readonly Share[]>
  /** The role as it is now; of a role that does not exist, only its key. */
  found: FoundRole
}

/** A role that does not exist. */
export const unknownRole = (roleKey: string): FoundRole => ({
  roleKey,
  displayName: '',
  group: '',
  permissions: [],
})

/** A time in which a role existed, or an organization could give it: from the event that began it to its end. */
export interface Generation {
  /** Version of the event that began it. */
  readonly since: number
  readonly begin: Position
  end: Position | undefined
}

/** An organization beside a project, with the versions of the project's grant to it. */
interface Place extends Thing {
  readonly project: Project
  readonly orgId: string
}

/** An organization that gives roles of a project to its users. */
export interface Organization extends Place {
  /** By key of the role: the generations in the project's grant. Oldest first. */
  readonly permits: Map<string, readonly Generation[]>
  /** Number of what its users hold for the whole project, in {@link World.held}. */
  readonly scope: number
  /** By user, then by resource: the last grant on it. */
  readonly usersOn: Map<string, SortedMap<Assignment>>
}

/** A generation of a role as one organization has it, for the whole project or on one resource. Users hold shares. */
export interface Share {
  readonly role: Role
  readonly organization: Organization
  /** Undefined for the whole project. */
  readonly resource: string | undefined
  readonly generation: Generation
  /** Undefined where the organization owns the project. */
  readonly permit: Generation | undefined
  /** The last version of each user who ever held it. Only with the past. */
  readonly users: SortedMap<Assignment>
  /** The same of groups, by provider and group. */
  readonly groups: SortedMap<GroupHeld>
  /** Unique among the shares. */
  readonly number: number
}

/** The roles of a user, or of the members of a group. */
export interface Assignment extends Version {
  /** By key. */
  readonly roles: readonly AssignedRole[]
  readonly before: Assignment | undefined
}

/** A role that is held. */
export interface AssignedRole {
  readonly share: Share
  readonly expiresAt: Date | undefined
  readonly given: Position
}

/** The roles of a group. */
export interface GroupHeld {
  readonly group: Group
  readonly held: Assignment
}

/** An identity provider, which may not exist. */
export interface Provider extends Thing {
  readonly idpId: string
  readonly groups: Map<string, Group>
  /** The last report of each user. */
  readonly members: Map<string, Member>
}

/** A group of a provider. */
export interface Group {
  readonly provider: Provider
  readonly name: string
  /** What its members hold for a whole project, by project and organization. */
  readonly held: Map<Organization, Assignment>
  /** What its members hold on resources, by project and organization, then by resource. */
  readonly heldOn: Map<Organization, SortedMap<Assignment>>
  /** By user: the last report that has the user in the group. Only with the past. */
  readonly members: SortedMap<Member>
}

/** A report of the groups of a user. */
export interface Member extends Version {
  readonly groups: readonly Group[]
  readonly before: Member | undefined
}

/** A group, and the report that a user is in it. */
export interface GroupMember {
  readonly group: Group
  readonly member: Member
}

/** When roles count: right after the event at a position, or now when it is absent; for roles that have not expired. */
export interface Moment {
  readonly at?: Position | undefined
  readonly now: Date
}

/** The version that held right after the event at a position; the present one when it is absent. */
export const versionAt = <
  Each extends Pick<Version, 'begin' | 'end'> & { readonly before: Each | undefined },
>(
  last: Each | undefined,
  at?: Position,
): Each | undefined => {
  if (at === undefined) return last?.end === undefined ? last : undefined
  let found = last
  while (found && found.begin > at) found = found.before
  return found && lasts(found, at) ? found : undefined
}

/** Whether what began and may have ended holds right after the event at a position, or now. */
export const lasts = (
  { begin, end }: Pick<Version, 'begin' | 'end'>,
  at: Position | undefined,
): boolean =>
  at === undefined ? end === undefined : begin <= at && (end === undefined || end > at)

/** Whether an object exists. Everything in a project or a provider is gone with it. */
export const exists = ({ last }: Thing, at?: Position): boolean => versionAt(last, at) !== undefined

/** Whether an object exists and is active; one that is `assumed` need only exist. */
export const isActive = (thing: Thing, at?: Position, assumed?: Thing): boolean => {
  const version = versionAt(thing.last, at)
  return version !== undefined && (thing === assumed || version.state.status === 'active')
}

/** Whether the role is of the generation that was given, and the organization may still give that. */
export const isCurrent = (
  { generation, permit }: Pick<Share, 'generation' | 'permit'>,
  at?: Position,
): boolean => lasts(generation, at) && (permit === undefined || lasts(permit, at))

/** Whether roles of the project count for users of the organization: project and grant are active. */
export const isOpen = (organization: Place, at?: Position, assumed?: Thing): boolean =>
  isActive(organization.project, at, assumed) &&
  (isOwner(organization) || isActive(organization, at, assumed))

/** Whether roles held on `heldOn` count on `resource`: on the whole project alone, or on one resource. */
export const countsOn = (heldOn: string | undefined, resource: string | undefined): boolean =>
  heldOn === undefined || heldOn === resource

/** The key of an organization and a resource: the whole project comes before its resources. */
export const keyOfPlace = (orgId: string, resource: string | undefined): string =>
  `${orgId}\0${resource ?? ''}`

/** The value for the whole project, then those on resources: on all of them, or on one. */
export const onPlaces = function* <Value>(
  whole: Value | undefined,
  on: SortedMap<Value> | undefined,
  resource?: string,
): Generator<{ readonly resource: string | undefined; readonly value: Value }> {
  if (whole !== undefined) yield { resource: undefined, value: whole }
  for (const { key, value } of on?.from('', resource) ?? []) yield { resource: key, value }
}

/** Whether the organization owns the project, and so needs no grant of it. */
export const isOwner = ({ project, orgId }: Place): boolean => project.orgId === orgId

/** How a role counts for a user: until when, and the event since which the user has it. */
export type Counted = Pick<AssignedRole, 'expiresAt' | 'given'>

/** How a user's own role counts, if its {@link isCurrent share} is current and the {@link isOpen project open}. */
export const countedOfUser = (
  { state }: Assignment,
  role: AssignedRole,
  moment: Moment,
): Counted | undefined =>
  state.status === 'active' && (!role.expiresAt || !isExpired(role, moment.now)) ? role : undefined

/** How a role of a group counts for one of its members, if the same holds and the provider {@link isActive}. */
export const countedOfMember = (
  held: Assignment,
  role: AssignedRole,
  { group, member }: GroupMember,
  { now }: Moment,
): Counted | undefined => {
  if (!isReportedFor(held, member, now)) return undefined
  const expiresAt = expiryOf(held, member)
  const joined = member.given[member.groups.indexOf(group)] ?? member.begin
  return { expiresAt, given: joined > role.given ? joined : role.given }
}

/** Whether a report counts for a mapping: it came after the mapping was added, and has not expired. */
export const isReportedFor = (mapping: Assignment, report: Member, now?: Date): boolean =>
  report.begin > mapping.since &&
  (now === undefined || !isExpired({ expiresAt: expiryOf(mapping, report) }, now))

const HOUR_MS = 3_600_000

/** When a report ends for a mapping; undefined: with the next report. */
const expiryOf = ({ state }: Assignment, report: Member): Date | undefined =>
  'validFor' in state && state.validFor !== undefined
    ? new Date(timeOf(report.begin).getTime() + state.validFor * HOUR_MS)
    : undefined

/** A role, or any role that has a permission. */
export interface RoleQuestion {
  readonly roleKey?: string | undefined
  readonly permission?: string | undefined
}

/** Whether a role that is asked for counts now. Allocates nothing for a user's own roles. */
export const hasRole = (
  world: World,
  query: AccessQuery,
  question: RoleQuestion,
  moment: Moment,
): boolean => {
  const { orgId, userId, projectOrgId, projectId, resource } = query
  const project = world.projects.get(projectOrgId)?.get(projectId)
  const organization = project?.organizations.get(orgId)
  if (!organization || !isOpen(organization)) return false
  return hasRoleAt(world, { organization, userId, resource }, question, moment)
}

/** A project, or a resource of it, where a role counts. */
export interface Scope {
  readonly projectOrgId: string
  readonly projectId: string
  readonly resource?: string
}

/** The projects and resources on which a role that is asked for counts now, in any order. */
export const scopesWith = (
  world: World,
  { orgId, userId }: Pick<AccessQuery, 'orgId' | 'userId'>,
  question: RoleQuestion,
  moment: Moment,
): readonly Scope[] => {
  const found: Scope[] = []
  for (const organization of world.organizations.get(orgId) ?? []) {
    if (!isOpen(organization)) continue
    const { orgId: projectOrgId, id: projectId } = organization.project
    const place = { organization, userId, resource: undefined }
    if (hasRoleOn(world, place, question, moment)) found.push({ projectId, projectOrgId })
    for (const resource of resourcesOf(world, organization, userId))
      if (hasRoleOn(world, { ...place, resource }, question, moment))
        found.push({ projectId, projectOrgId, resource })
  }
  return found
}

/** Whether a role counts for a user on any resource of a project. */
export const hasRoleOnResource = (
  world: World,
  { orgId, userId, projectOrgId, projectId }: AccessQuery,
  moment: Moment,
): boolean => {
  const project = world.projects.get(projectOrgId)?.get(projectId)
  const organization = project?.organizations.get(orgId)
  if (!organization || !isOpen(organization)) return false
  for (const resource of resourcesOf(world, organization, userId))
    if (hasRoleOn(world, { organization, userId, resource }, ANY_ROLE, moment)) return true
  return false
}

const ANY_ROLE: RoleQuestion = {}

/** The resources on which a user has or had roles, by grants and groups. */
const resourcesOf = (
  world: World,
  organization: Organization,
  userId: string,
): ReadonlySet<string> => {
  const found = new Set<string>()
  for (const { key } of organization.usersOn.get(userId)?.from() ?? []) found.add(key)
  for (const { group } of groupsOf(world, organization.orgId, userId))
    for (const { key } of group.heldOn.get(organization)?.from() ?? []) found.add(key)
  return found
}

/** The groups that a user is in, by the last report of each provider, which may be gone or inactive. */
export const groupsOf = function* (
  { providersOf }: World,
  orgId: string,
  userId: string,
  at?: Position,
): Generator<GroupMember> {
  for (const { members } of providersOf.get(orgId)?.get(userId) ?? NO_PROVIDERS) {
    const member = versionAt(members.get(userId), at)
    if (member) for (const group of member.groups) yield { group, member }
  }
}

const NO_PROVIDERS: readonly Provider[] = []

/** Where a user may have a role: on exactly this resource, or on the whole project. */
interface UserPlace {
  readonly organization: Organization
  readonly userId: string
  readonly resource: string | undefined
}

/** Which groups count: for what their members hold on a whole project, or on a resource. */
export type IsMeant = (group: Group, resource: string | undefined) => boolean

const EVERY_GROUP: IsMeant = () => true

/** Whether a role that is asked for counts on a resource or its whole project, which is open. */
export const hasRoleAt = (
  world: World,
  place: UserPlace,
  question: RoleQuestion,
  moment: Moment,
  isMeant?: IsMeant,
): boolean => {
  const { organization, userId, resource } = place
  const whole = { organization, userId, resource: undefined }
  if (hasRoleOn(world, whole, question, moment, isMeant)) return true
  return resource !== undefined && hasRoleOn(world, place, question, moment, isMeant)
}

/** Whether a role that is asked for counts exactly there, if the project is open. */
const hasRoleOn = (
  world: World,
  place: UserPlace,
  question: RoleQuestion,
  moment: Moment,
  isMeant = EVERY_GROUP,
): boolean => {
  const { organization, userId, resource } = place
  const held = versionAt(heldByUser(world, organization, userId, resource), moment.at)
  if (held)
    for (const role of held.roles)
      if (matchesQuestion(role, question, moment) && countedOfUser(held, role, moment)) return true
  return hasMappedRole(world, place, question, moment, isMeant)
}

/** What a user last had for the whole project, or on a resource. */
export const heldByUser = (
  { held }: World,
  { scope, usersOn }: Organization,
  userId: string,
  resource: string | undefined,
): Assignment | undefined =>
  resource === undefined ? held.get(userId, scope) : usersOn.get(userId)?.get(resource)

/** What the members of a group last had for the whole project, or on a resource. */
export const heldByGroup = (
  { held, heldOn }: Group,
  organization: Organization,
  resource: string | undefined,
): Assignment | undefined =>
  resource === undefined ? held.get(organization) : heldOn.get(organization)?.get(resource)

/** Whether a current role has the key and the permission that are asked for. */
const matchesQuestion = (
  { share }: AssignedRole,
  { roleKey, permission }: RoleQuestion,
  { at }: Moment,
): boolean => {
  const { found } = share.role
  if (roleKey !== undefined && found.roleKey !== roleKey) return false
  if (permission !== undefined && !found.permissions.includes(permission)) return false
  return isCurrent(share, at)
}

const hasMappedRole = (
  world: World,
  { organization, userId, resource }: UserPlace,
  question: RoleQuestion,
  moment: Moment,
  isMeant: IsMeant,
): boolean => {
  const { at } = moment
  for (const each of groupsOf(world, organization.orgId, userId, at)) {
    const { group } = each
    const held = versionAt(heldByGroup(group, organization, resource), at)
    if (held && isActive(group.provider, at) && isMeant(group, resource))
      for (const role of held.roles)
        if (matchesQuestion(role, question, moment) && countedOfMember(held, role, each, moment))
          return true
  }
  return false
}

/** The result of a read model's `access`. Parts of it are shared, so do not change it. */
export const foundAccess = (world: World, query: AccessQuery): FoundAccess => {
  const { orgId, userId, projectOrgId, projectId, resource } = query
  const project = world.projects.get(projectOrgId)?.get(projectId)
  const organization = project && exists(project) ? project.organizations.get(orgId) : undefined
  const grants: FoundGrant[] = []
  const add = (last: Assignment | undefined): void => {
    const held = versionAt(last)
    if (held) grants.push(foundGrant(held))
  }
  add(organization && world.held.get(userId, organization.scope))
  if (resource !== undefined) add(organization?.usersOn.get(userId)?.get(resource))
  return {
    project: project?.found,
    projectGrant: activityOf(versionAt(organization?.last)),
    grants,
    mapped: organization ? mappedRoles(world, organization, query) : NO_MAPPED_ROLES,
  }
}

const foundGrant = (held: Assignment): FoundGrant => {
  const roles: FoundRole[] = []
  const lost: LostRole[] = []
  for (const { share, expiresAt } of held.roles) {
    const { found } = share.role
    if (!isCurrent(share)) lost.push({ roleKey: found.roleKey, with: endedWith(share) })
    else roles.push(expiresAt ? { ...found, expiresAt } : found)
  }
  return { state: held.state.status === 'inactive' ? 'inactive' : 'active', roles, lost }
}

/** Whether the role or the permission to give it ended first. */
const endedWith = ({ generation, permit }: Share): LostRole['with'] => {
  if (permit?.end === undefined) return 'role'
  return generation.end === undefined || permit.end < generation.end ? 'project_grant' : 'role'
}

const activityOf = (version: Version | undefined): Activity | undefined => {
  const status = version?.state.status
  return status === 'active' || status === 'inactive' ? status : undefined
}

const NO_MAPPED_ROLES: readonly FoundMappedRole[] = []

/** The roles of a project that a user has as a member of groups. */
const mappedRoles = (
  world: World,
  organization: Organization,
  { orgId, userId, resource: queriedResource }: AccessQuery,
): readonly FoundMappedRole[] => {
  let found: FoundMappedRole[] | undefined
  for (const { group, member } of groupsOf(world, orgId, userId)) {
    const { provider, name } = group
    if (!exists(provider)) continue
    const on = queriedResource === undefined ? undefined : group.heldOn.get(organization)
    const places = onPlaces(group.held.get(organization), on, queriedResource)
    for (const { resource, value } of places) {
      const held = versionAt(value)
      if (!held || !isReportedFor(held, member)) continue
      const expiresAt = expiryOf(held, member)
      const way = {
        ...(expiresAt && { expiresAt }),
        ...(resource !== undefined && { resource }),
        via: { idpId: provider.idpId, group: name },
        isProviderActive: isActive(provider),
      }
      found ??= []
      for (const { share } of held.roles)
        if (isCurrent(share)) found.push({ ...share.role.found, ...way })
    }
  }
  return found?.sort(byMappedRole) ?? NO_MAPPED_ROLES
}
