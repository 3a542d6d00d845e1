import type { AnyState } from '../domain/aggregates.js'
import { identityProviders } from '../domain/identity-provider/aggregate.js'
import { memberships } from '../domain/membership/aggregate.js'
import { projects } from '../domain/project/aggregate.js'
import { projectGrants } from '../domain/project-grant/aggregate.js'
import { projectRoles } from '../domain/project-role/aggregate.js'
import { roleMappings } from '../domain/role-mapping/aggregate.js'
import { userGrants } from '../domain/user-grant/aggregate.js'
import type { RoleKey } from '../domain/values.js'
import type { AccessQuery, FoundAccess } from '../ports/access-reads.js'
import type { Position } from '../ports/event-store.js'
import type { KnownEvent } from '../ports/known-event.js'
import { stateAfter } from './project.js'
import { aggregateOf } from './read-events.js'
import { emptyWorld, replaceFact } from './replace-fact.js'
import {
  type Assignment,
  foundAccess,
  hasRole,
  hasRoleOnResource,
  heldByGroup,
  heldByUser,
  type Moment,
  type Organization,
  type RoleQuestion,
  type Scope,
  scopesWith,
  type Version,
  type World,
} from './world.js'

/** The current roles of users after the events applied so far, without the past. */
export interface PresentAccess {
  /** Applies the next event of the log. */
  readonly apply: (event: KnownEvent) => void
  /** The result of a read model's `access`, at once. Parts of it are shared, so do not change it. */
  readonly access: (query: AccessQuery) => FoundAccess
  /** Whether a role that is asked for counts at the moment. */
  readonly hasRole: (query: AccessQuery, question: RoleQuestion, moment: Moment) => boolean
  /** Whether a role counts at the moment on any resource of the project. */
  readonly hasRoleOnResource: (query: AccessQuery, moment: Moment) => boolean
  /** The projects and resources on which a role that is asked for counts at the moment, in any order. */
  readonly scopesWith: (
    user: Pick<AccessQuery, 'orgId' | 'userId'>,
    question: RoleQuestion,
    moment: Moment,
  ) => readonly Scope[]
}

/** The state before the first event. */
export const presentAccess = (): PresentAccess => {
  const world = emptyWorld(false)
  return {
    apply: (event) => {
      const { fact } = aggregateOf(event.type)
      if (!fact) return
      const { position, metadata, data } = event
      const orgId = metadata.resourceOwner
      const last = lastOf(world, event)
      const state = stateAfter(last?.state, event)
      const known = state ?? last?.state
      if (!known) return
      const since = last?.since ?? position
      const begun = state && {
        state: compactState(event, state),
        since,
        begin: position,
        given: NEVER,
      }
      replaceFact(world, fact(known, data, orgId), { begun, position })
    },
    access: (query) => foundAccess(world, query),
    hasRole: (query, question, moment) => hasRole(world, query, question, moment),
    hasRoleOnResource: (query, moment) => hasRoleOnResource(world, query, moment),
    scopesWith: (user, question, moment) => scopesWith(world, user, question, moment),
  }
}

/** No question about the present asks since when a role is held. */
const NEVER: readonly Position[] = []

/** What is kept of a state. Of users, of whom there are many, the world has the roles and groups. */
const compactState = (event: KnownEvent, state: AnyState): AnyState => {
  if (userGrants.reads(event)) return state.status === 'inactive' ? INACTIVE : ACTIVE
  return memberships.reads(event) ? REPORTED : state
}

const ACTIVE: AnyState = { status: 'active', roles: [] }
const INACTIVE: AnyState = { status: 'inactive', roles: [] }
const REPORTED: AnyState = { status: 'active', groups: [] }

const userGrantOf = ({ state, roles }: Assignment): AnyState => ({
  status: state.status === 'inactive' ? 'inactive' : 'active',
  roles: roles.map(({ share: { role, generation, permit }, expiresAt }) => ({
    roleKey: role.found.roleKey as RoleKey,
    expiresAt: expiresAt?.toISOString(),
    roleSince: generation.since,
    grantSince: permit?.since,
  })),
})

interface ProjectIds {
  readonly projectId: string
  readonly projectOrgId: string
}

/** The object of an event before it. */
const lastOf = (world: World, event: KnownEvent): Pick<Version, 'state' | 'since'> | undefined => {
  const orgId = event.metadata.resourceOwner
  if (userGrants.reads(event)) {
    const organization = organizationOf(world, orgId, event.data)
    const { userId, resource } = event.data
    const held = organization && heldByUser(world, organization, userId, resource)
    return held && { state: userGrantOf(held), since: held.since }
  }
  const owned = world.projects.get(orgId)
  const providers = world.providers.get(orgId)
  if (memberships.reads(event))
    return providers?.get(event.data.idpId)?.members.get(event.data.userId)
  if (roleMappings.reads(event)) {
    const organization = organizationOf(world, orgId, event.data)
    const group = providers?.get(event.data.idpId)?.groups.get(event.data.group)
    return organization && group && heldByGroup(group, organization, event.data.resource)
  }
  if (projectGrants.reads(event))
    return owned?.get(event.data.projectId)?.organizations.get(event.data.grantedOrgId)?.last
  if (projectRoles.reads(event))
    return owned?.get(event.data.projectId)?.roles.get(event.data.roleKey)?.last
  if (projects.reads(event)) return owned?.get(event.data.id)?.last
  return identityProviders.reads(event) ? providers?.get(event.data.idpId)?.last : undefined
}

const organizationOf = (
  { projects }: World,
  orgId: string,
  { projectOrgId, projectId }: ProjectIds,
): Organization | undefined => projects.get(projectOrgId)?.get(projectId)?.organizations.get(orgId)
