import { exists } from '../../domain/decider.js'
import {
  type IdentityProviderState,
  identityProviders,
} from '../../domain/identity-provider/aggregate.js'
import { type MembershipState, memberships } from '../../domain/membership/aggregate.js'
import type { Message } from '../../domain/message.js'
import { type ProjectState, projects } from '../../domain/project/aggregate.js'
import { type ProjectGrantState, projectGrants } from '../../domain/project-grant/aggregate.js'
import { type ProjectRoleState, projectRoles } from '../../domain/project-role/aggregate.js'
import { isCurrent, isStillGranted, type RoleGeneration } from '../../domain/role-generations.js'
import { type RoleMappingState, roleMappings } from '../../domain/role-mapping/aggregate.js'
import { type UserGrantState, userGrants } from '../../domain/user-grant/aggregate.js'
import {
  type GroupName,
  IdpId,
  OrgId,
  type ProjectId,
  RoleKey,
  type UserId,
} from '../../domain/values.js'
import type { FoundAccess, LostRole } from '../../ports/access-reads.js'
import type { EventStore, Position, RecordedEvent } from '../../ports/event-store.js'
import { corruptEvent, type KnownEvent } from '../../ports/known-event.js'
import { presentAccess } from '../../projections/present-access.js'
import { readBatch } from '../../projections/read-events.js'
import { Fault, fromPort } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import type { Status, StreamsOf } from '../recording/stream-state.js'
import type { Runtime } from '../runtime.js'

/** A user of an organization, and a project of any organization. */
export interface AccessIds {
  readonly orgId: string
  readonly userId: UserId
  readonly projectOrgId: OrgId
  readonly projectId: ProjectId
}

/** An event of a stream, and the state that it led to. */
export interface Step<State = Status> {
  readonly event: KnownEvent
  readonly state: State
}

/** The events that led to the access of a user to a project, by stream. */
export interface AccessSteps {
  readonly isOwn: boolean
  readonly project: readonly Step<ProjectState>[]
  /** Steps of the project's grant to the user's organization; empty if that organization owns the project. */
  readonly projectGrant: readonly Step<ProjectGrantState>[]
  readonly userGrant: readonly Step<UserGrantState>[]
  /** Steps of each group that the user was ever reported in and that was mapped to the project. */
  readonly groups: readonly GroupSteps[]
  /** Steps of the role in the question, or of all roles that the user's grant and mappings last had. */
  readonly roles: ReadonlyMap<string, readonly Step<ProjectRoleState>[]>
}

/** The steps that led to the roles that a group gives to a user. */
export interface GroupSteps {
  readonly via: { readonly idpId: IdpId; readonly group: GroupName }
  readonly provider: readonly Step<IdentityProviderState>[]
  readonly mapping: readonly Step<RoleMappingState>[]
  readonly membership: readonly Step<MembershipState>[]
}

/** Reads the events up to a position that led to the access of a user. */
export const replayAccess = async (
  runtime: Runtime,
  call: Pick<AdmittedCall, 'signal'>,
  ids: AccessIds,
  { until, roleKey }: { readonly until: Position; readonly roleKey?: RoleKey | undefined },
): Promise<AccessSteps> => {
  const { orgId, userId, projectOrgId, projectId } = ids
  const isOwn = projectOrgId === orgId
  const steps = stepsOf(runtime.store, until)
  const grantIds = { projectId, grantedOrgId: OrgId.parse(orgId) }
  const [project, projectGrant, userGrant, groups] = await Promise.all([
    steps(projects, projectOrgId, { id: projectId }),
    isOwn ? [] : steps(projectGrants, projectOrgId, grantIds),
    steps(userGrants, orgId, { userId, projectId, projectOrgId }),
    replayGroups(steps, ids, await providersOf(runtime, call, ids)),
  ])
  const held = [rolesOf(userGrant), ...groups.map(({ mapping }) => rolesOf(mapping))].flat()
  const wanted = roleKey === undefined ? new Set(held.map((role) => role.roleKey)) : [roleKey]
  const roles = await Promise.all(
    [...wanted].map(async (each) => {
      const ids = { projectId, roleKey: RoleKey.parse(each) }
      return [each, await steps(projectRoles, projectOrgId, ids)] as const
    }),
  )
  return { isOwn, project, projectGrant, userGrant, groups, roles: new Map(roles) }
}

/** The providers that ever reported a group of a user. */
const providersOf = async (
  runtime: Runtime,
  { signal }: Pick<AdmittedCall, 'signal'>,
  { orgId, userId }: AccessIds,
): Promise<ReadonlySet<IdpId>> => {
  const found = new Set<IdpId>()
  const limit = 1000
  let after = 0n
  for (let entries = limit; entries === limit; ) {
    const query = { orgId, user: userId, types: memberships.eventsThat('adds'), after, limit }
    const strong = { consistency: 'strong', signal } as const
    const page = await runtime.query(strong, { method: 'history', args: [query] })
    for (const { object, sequence } of page) {
      if (object.type === 'membership') found.add(IdpId.parse(object.idpId))
      after = sequence
    }
    entries = page.length
  }
  return found
}

const replayGroups = async (
  steps: ReturnType<typeof stepsOf>,
  { orgId, userId, projectOrgId, projectId }: AccessIds,
  idpIds: ReadonlySet<IdpId>,
): Promise<readonly GroupSteps[]> => {
  const byProvider = await Promise.all(
    [...idpIds].map(async (idpId) => {
      const [provider, membership] = await Promise.all([
        steps(identityProviders, orgId, { idpId }),
        steps(memberships, orgId, { idpId, userId }),
      ])
      const groups = new Set(membership.flatMap(({ state }) => (exists(state) ? state.groups : [])))
      return Promise.all(
        [...groups].map(async (group) => {
          const ids = { idpId, group, projectId, projectOrgId }
          const mapping = await steps(roleMappings, orgId, ids)
          return { via: { idpId, group }, provider, membership, mapping }
        }),
      )
    }),
  )
  return byProvider.flat().filter(({ mapping }) => mapping.length > 0)
}

const stepsOf =
  (store: EventStore, until: Position) =>
  async <Ids, State extends Status, Event extends Message>(
    aggregate: StreamsOf<Ids, State, Event>,
    orgId: string,
    ids: Ids,
  ): Promise<readonly Step<State>[]> => {
    const recorded = await fromPort(() => store.readStream(aggregate.stream(orgId, ids)))
    const { known, unreadable } = readBatch(recorded.filter(({ position }) => position <= until))
    if (unreadable) throw new Fault(unreadable)
    let state = aggregate.decider.initialState
    return known.map((event) => {
      if (!aggregate.reads(event)) throw new Fault(corruptEvent(event, 'type'))
      state = aggregate.decider.evolve(state, event, event.version)
      return { event, state }
    })
  }

/** The roles that a grant to a user, or a mapping, was last recorded with. */
const rolesOf = <Role>(
  steps: readonly Step<
    | { readonly status: 'absent' }
    | { readonly status: 'active' | 'inactive'; readonly roles: readonly Role[] }
  >[],
): readonly Role[] => {
  const state = steps.at(-1)?.state
  return state && exists(state) ? state.roles : []
}

/** The result that the read model would have returned then. */
export const foundIn = (
  { project, projectGrant, userGrant, groups, roles }: AccessSteps,
  ids: AccessIds,
): FoundAccess => {
  const ofGroups = groups.flatMap(({ provider, mapping, membership }) => [
    ...provider,
    ...mapping,
    ...membership,
  ])
  const steps = [project, projectGrant, userGrant, ofGroups, ...roles.values()].flat()
  const { apply, access } = presentAccess()
  for (const event of inOrder(steps.map(({ event }) => event))) apply(event)
  return access(ids)
}

/** The events without duplicates, oldest first. */
export const inOrder = <Event extends RecordedEvent>(events: readonly Event[]): readonly Event[] =>
  [...new Set(events)].sort((one, other) => (one.position < other.position ? -1 : 1))

/** The last step at which a condition began to hold. */
export const began = <Each extends Step>(
  steps: readonly Each[],
  holds: (step: Each) => boolean,
): Each | undefined =>
  steps.findLast((step, index) => {
    const before = steps[index - 1]
    return holds(step) && !(before && holds(before))
  })

export const isExisting = ({ state }: Step): boolean => exists(state)

/** The first event of another stream that ended a role of a user. */
export const endOf = (
  role: RoleGeneration,
  { isOwn, projectGrant, roles }: Pick<AccessSteps, 'isOwn' | 'projectGrant' | 'roles'>,
): (Pick<LostRole, 'with'> & { readonly event: RecordedEvent }) | undefined => {
  const removed = (roles.get(role.roleKey) ?? []).find(
    ({ event, state }) => event.version > role.roleSince && !isCurrent(role, state),
  )
  const { grantSince = 0 } = role
  const taken = isOwn
    ? undefined
    : projectGrant.find(
        ({ event, state }) => event.version > grantSince && !isStillGranted(role, state),
      )
  if (removed && (!taken || removed.event.position < taken.event.position))
    return { event: removed.event, with: 'role' }
  return taken && { event: taken.event, with: 'project_grant' }
}
