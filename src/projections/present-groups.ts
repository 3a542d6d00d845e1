import { identityProviders } from '../domain/identity-provider/aggregate.js'
import { memberships } from '../domain/membership/aggregate.js'
import { roleMappings } from '../domain/role-mapping/aggregate.js'
import type { RoleMappingEvent } from '../domain/role-mapping/events.js'
import type {
  AccessQuery,
  FoundMappedRole,
  FoundRole,
  RoleWay,
  WayKey,
} from '../ports/access-reads.js'
import { type Position, timeOf } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import { compareCodePoints } from './row-order.js'
import { getOrAdd, projectScope } from './rows.js'

/** The current roles of users through groups after the events applied so far, without the past. */
export interface PresentGroups {
  /** Applies the next event of the log. */
  readonly apply: (event: KnownEvent) => void
  /** The roles of a project that a user has as a member of groups. */
  readonly rolesOf: (query: AccessQuery) => readonly FoundMappedRole[]
}

/** A role as an organization gives it; it counts until one of these becomes true. */
interface GivenRole {
  readonly role: { readonly found: FoundRole; readonly isRemoved: boolean }
  readonly isWithdrawn: boolean
}

/** The roles of a project as an organization gives them now. */
type GiveRoles = (
  orgId: string,
  projectOrgId: string,
  projectId: string,
  roleKeys: readonly string[],
) => readonly GivenRole[]

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

/** The state before the first event. */
export const presentGroups = (give: GiveRoles): PresentGroups => {
  /** By organization, then by id. Nothing is kept of a removed provider. */
  const organizations = new Map<string, Map<string, Provider>>()
  const providerIn = (orgId: string, idpId: string): Provider =>
    getOrAdd(
      getOrAdd(organizations, orgId, () => new Map<string, Provider>()),
      idpId,
      () => ({ isActive: true, mappings: new Map(), members: new Map() }),
    )
  return {
    apply: (event) => {
      const orgId = event.metadata.resourceOwner
      if (identityProviders.reads(event)) {
        const { idpId } = event.data
        const isRemoved = identityProviders.effectOf(event) === 'removes'
        if (isRemoved) organizations.get(orgId)?.delete(idpId)
        else if (event.type === 'identity_provider.deactivated')
          providerIn(orgId, idpId).isActive = false
        else if (event.type === 'identity_provider.reactivated')
          providerIn(orgId, idpId).isActive = true
      } else if (roleMappings.reads(event)) {
        const { mappings } = providerIn(orgId, event.data.idpId)
        changeMapping(
          getOrAdd(mappings, event.data.group, () => new Map()),
          event,
          give,
        )
      } else if (memberships.reads(event)) {
        const { idpId, userId } = event.data
        const { members } = providerIn(orgId, idpId)
        const groups = memberships.memberships.groupsIn(event)
        if (groups.length === 0) members.delete(userId)
        else members.set(userId, { reported: event.position, groups })
      }
    },
    rolesOf: (query) => {
      const providers = organizations.get(query.orgId)
      return providers ? rolesOf(providers, query) : NO_ROLES
    },
  }
}

const HOUR_MS = 3_600_000

const changeMapping = (
  byProject: Map<string, Mapping>,
  event: KnownEvent & RoleMappingEvent,
  give: GiveRoles,
): void => {
  const { projectOrgId, projectId } = event.data
  const scope = projectScope(projectOrgId, projectId)
  const roles = roleMappings.assignments.assigns.rolesIn(event)
  if (!roles) {
    byProject.delete(scope)
    return
  }
  const isAdded = roleMappings.effectOf(event) === 'adds'
  const validFor = roles[0]?.validFor
  const roleKeys = roles.map(({ roleKey }) => roleKey)
  byProject.set(scope, {
    since: (isAdded ? undefined : byProject.get(scope)?.since) ?? event.position,
    validForMs: validFor === undefined ? undefined : validFor * HOUR_MS,
    roles: give(event.metadata.resourceOwner, projectOrgId, projectId, roleKeys),
  })
}

const NO_ROLES: readonly FoundMappedRole[] = []

const rolesOf = (
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

/** A place in the order of ways: a grant comes before groups. */
export const keyOfWay = (via: RoleWay): WayKey =>
  via === 'grant' ? ['', ''] : [via.idpId, via.group]

/** The order of {@link FoundAccess.mapped}. */
export const byMappedRole = (one: FoundMappedRole, other: FoundMappedRole): number =>
  compareCodePoints(one.roleKey, other.roleKey) ||
  compareCodePoints(one.via.idpId, other.via.idpId) ||
  compareCodePoints(one.via.group, other.via.group)
