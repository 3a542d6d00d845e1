import { exists } from '../../domain/aggregate.js'
import {
  type IdentityProviderState,
  identityProviders,
} from '../../domain/identity-provider/aggregate.js'
import { type MembershipState, memberships } from '../../domain/membership/aggregate.js'
import type { Message } from '../../domain/message.js'
import { type ProjectState, projects } from '../../domain/project/aggregate.js'
import { type ProjectGrantState, projectGrants } from '../../domain/project-grant/aggregate.js'
import {
  isCurrent,
  type ProjectRoleState,
  projectRoles,
} from '../../domain/project-role/aggregate.js'
import { isStillGranted, type RoleGeneration } from '../../domain/role-generations.js'
import { type RoleMappingState, roleMappings } from '../../domain/role-mapping/aggregate.js'
import {
  userGrants as grantsToUsers,
  type UserGrantState,
} from '../../domain/user-grant/aggregate.js'
import type { OrgId, ProjectId, Resource, RoleKey, UserId } from '../../domain/values.js'
import type { FoundAccess, LostRole } from '../../ports/access-reads.js'
import type { EventStore, Position, RecordedEvent } from '../../ports/event-store.js'
import { corruptEvent, type KnownEvent } from '../../ports/known-event.js'
import type { HistoryEntry, HistoryQuery } from '../../ports/read-model.js'
import { presentAccess } from '../../projections/present-access.js'
import { readBatch } from '../../projections/read-events.js'
import { Fault } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import type { Evolving, Status, StreamsOf } from '../recording/stream-state.js'
import type { Runtime } from '../runtime.js'
import { fromPort, inBatches } from '../waiting.js'

/** A user of an organization, and a project of any organization. */
export interface AccessIds {
  readonly orgId: string
  readonly userId: UserId
  readonly projectOrgId: OrgId
  readonly projectId: ProjectId
  /** As in an `AccessQuery`. */
  readonly resource?: Resource | undefined
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
  /** Steps of the user's grant of the whole project, then of the one on the resource in the question. */
  readonly userGrants: readonly (readonly Step<UserGrantState>[])[]
  /** Steps of each group that the user was reported in, of the last reports of a provider, and that was mapped to the project or to the resource. */
  readonly groups: readonly GroupSteps[]
  /** Steps of the role in the question, or of all roles that the user's grant and mappings last had. */
  readonly roles: ReadonlyMap<string, readonly Step<ProjectRoleState>[]>
}

/** The steps that led to the roles that a group gives to a user. */
export interface GroupSteps {
  readonly provider: readonly Step<IdentityProviderState>[]
  readonly mapping: readonly Step<RoleMappingState>[]
  /** The last step. */
  readonly membership: readonly Step<MembershipState>[]
}

/** Reads the events up to a position that led to the access of a user. */
export const replayAccess = async (
  runtime: Runtime,
  call: Pick<AdmittedCall, 'signal'>,
  ids: AccessIds,
  { until, roleKey }: { readonly until: Position; readonly roleKey?: RoleKey | undefined },
): Promise<AccessSteps> => {
  const { orgId, userId, projectOrgId, projectId, resource } = ids
  const isOwn = projectOrgId === orgId
  const steps = stepsOf(runtime.store, until)
  const grantIds = { projectId, grantedOrgId: orgId }
  const [project, projectGrant, userGrants, groups] = await Promise.all([
    steps(projects, projectOrgId, { id: projectId }),
    isOwn ? [] : steps(projectGrants, projectOrgId, grantIds),
    Promise.all(
      placesOf(resource).map((on) =>
        steps(grantsToUsers, orgId, { userId, projectId, projectOrgId, ...on }),
      ),
    ),
    replayGroups(runtime, call, ids, until),
  ])
  const held = [...userGrants.map(rolesOf), ...groups.map(({ mapping }) => rolesOf(mapping))].flat()
  const wanted = roleKey === undefined ? new Set(held.map((role) => role.roleKey)) : [roleKey]
  const roles = await Promise.all(
    [...wanted].map(async (each) => {
      const ids = { projectId, roleKey: each }
      return [each, await steps(projectRoles, projectOrgId, ids)] as const
    }),
  )
  return { isOwn, project, projectGrant, userGrants, groups, roles: new Map(roles) }
}

/** The whole project, and the resource if there is one. */
const placesOf = (resource: Resource | undefined): readonly { readonly resource?: Resource }[] => [
  {},
  ...(resource === undefined ? [] : [{ resource }]),
]

/** Most entries of a page of history, and most reports of a provider that are searched for groups of a user. */
const PAGE = 1000

const historyOf = (
  runtime: Runtime,
  { signal }: Pick<AdmittedCall, 'signal'>,
  query: Omit<HistoryQuery, 'after' | 'limit'>,
): Promise<readonly HistoryEntry[]> =>
  runtime.query(
    { consistency: 'strong', signal },
    { method: 'history', args: [{ after: 0n, limit: PAGE, ...query }] },
  )

/** The providers that reported a group of a user; if there are many reports, all that the organization had. */
const providersOf = async (
  runtime: Runtime,
  call: Pick<AdmittedCall, 'signal'>,
  { orgId, userId }: AccessIds,
  until: Position,
): Promise<ReadonlySet<string>> => {
  const before = { orgId, before: until + 1n, order: 'desc' } as const
  const reports = { ...before, user: userId, types: [memberships.adds] }
  const entries = await historyOf(runtime, call, reports)
  const found = new Set<string>()
  const add = ({ object }: HistoryEntry) => {
    if ('idpId' in object) found.add(object.idpId)
  }
  entries.forEach(add)
  const types = [identityProviders.adds]
  for (let page = entries, at = before.before; page.length === PAGE; ) {
    page = await historyOf(runtime, call, { ...before, before: at, types })
    page.forEach(add)
    at = page.at(-1)?.sequence ?? at
  }
  return found
}

/** The last report about a user, and the groups of the user in it and in the {@link PAGE} reports before it. */
const reportsOf = async (
  runtime: Runtime,
  call: Pick<AdmittedCall, 'signal'>,
  {
    orgId,
    idpId,
    userId,
  }: { readonly orgId: string; readonly idpId: string; readonly userId: UserId },
  until: Position,
): Promise<{
  readonly membership: readonly Step<MembershipState>[]
  readonly groups: ReadonlySet<string>
}> => {
  const object = memberships.ref({ idpId, userId })
  const query = { orgId, object, before: until + 1n, order: 'desc' } as const
  const entries = (await historyOf(runtime, call, query)).filter(
    (entry) => entry.object.type === 'membership',
  )
  const [newest] = entries
  const recorded = newest
    ? await fromPort(() => runtime.store.readAll(newest.sequence - 1n, 1))
    : []
  const membership = replayed(memberships, recorded)
  const earlier = entries.flatMap(({ changes }) =>
    changes.flatMap((each) =>
      each.field === 'groups' && 'to' in each ? [each.from, each.to] : [],
    ),
  )
  const last = membership.flatMap(({ state }) => (exists(state) ? state.groups : []))
  const groups = earlier.flatMap((value) => (Array.isArray(value) ? value : []))
  return {
    membership,
    groups: new Set([...last, ...groups]),
  }
}

const replayGroups = async (
  runtime: Runtime,
  call: Pick<AdmittedCall, 'signal'>,
  { orgId, userId, projectOrgId, projectId, resource }: AccessIds,
  until: Position,
): Promise<readonly GroupSteps[]> => {
  const steps = stepsOf(runtime.store, until)
  const providers = await providersOf(
    runtime,
    call,
    { orgId, userId, projectOrgId, projectId },
    until,
  )
  const byProvider = await inBatches(runtime.environment, [...providers], async (idpId) => {
    const [provider, { membership, groups }] = await Promise.all([
      steps(identityProviders, orgId, { idpId }),
      reportsOf(runtime, call, { orgId, idpId, userId }, until),
    ])
    return Promise.all(
      [...groups].flatMap((group) =>
        placesOf(resource).map(async (on) => {
          const ids = { idpId, group, projectId, projectOrgId, ...on }
          const mapping = await steps(roleMappings, orgId, ids)
          return { provider, membership, mapping }
        }),
      ),
    )
  })
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
    return replayed(
      aggregate,
      recorded.filter(({ position }) => position <= until),
    )
  }

/** The steps of `recorded`. Its first event needs no earlier one. */
const replayed = <State extends Status, Event extends Message>(
  aggregate: Evolving<State, Event>,
  recorded: readonly RecordedEvent[],
): readonly Step<State>[] => {
  const { known, unreadable } = readBatch(recorded)
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
  { project, projectGrant, userGrants, groups, roles }: AccessSteps,
  ids: AccessIds,
): FoundAccess => {
  const ofGroups = groups.flatMap(({ provider, mapping, membership }) => [
    ...provider,
    ...mapping,
    ...membership,
  ])
  const steps = [project, projectGrant, ...userGrants, ofGroups, ...roles.values()].flat()
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
