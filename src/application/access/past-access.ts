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
import type { FoundAccess, FoundMappedRole, FoundRole, LostRole } from '../../ports/access-reads.js'
import {
  type EventStore,
  type Position,
  type RecordedEvent,
  timeOf,
} from '../../ports/event-store.js'
import { byMappedRole, compareCodePoints } from '../../projections/row-order.js'
import { foundProject } from '../../projections/rows.js'
import { fromPort } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import { type Status, StreamState, type StreamsOf } from '../recording/stream-state.js'
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
  readonly event: RecordedEvent
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
    let after = new StreamState(aggregate, aggregate.stream(orgId, ids))
    const steps: Step<State>[] = []
    for (const event of await fromPort(() => store.readStream(after.name))) {
      if (event.position > until) break
      after = after.replay([event])
      steps.push({ event, state: after.state })
    }
    return steps
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
export const foundIn = (steps: AccessSteps): FoundAccess => {
  const project = steps.project.at(-1)?.state
  // Grants end with their project.
  if (project === undefined || !exists(project))
    return {
      project: undefined,
      projectGrant: undefined,
      userGrant: undefined,
      roles: [],
      lost: [],
      mapped: [],
    }
  const roles: FoundRole[] = []
  const lost: LostRole[] = []
  for (const role of rolesOf(steps.userGrant)) {
    const { roleKey, expiresAt } = role
    const end = endOf(role, steps)
    if (end) lost.push({ roleKey, with: end.with })
    else roles.push(...shownRoles(steps, roleKey, expiresAt))
  }
  return {
    project: foundProject({ ...project, state: project.status }),
    projectGrant: stateOf(steps.projectGrant),
    userGrant: stateOf(steps.userGrant),
    roles: roles.sort((one, other) => compareCodePoints(one.roleKey, other.roleKey)),
    lost,
    mapped: steps.groups.flatMap((group) => mappedIn(steps, group)).sort(byMappedRole),
  }
}

/** The role with its display fields of that time; empty if it is not the role in the question. */
const shownRoles = (
  { roles }: AccessSteps,
  roleKey: string,
  expiresAt: string | Date | undefined,
): readonly FoundRole[] => {
  const shown = roles.get(roleKey)?.at(-1)?.state
  if (!shown || !exists(shown)) return []
  const { displayName, group, permissions } = shown
  const found = { roleKey, displayName, group, permissions }
  return [expiresAt === undefined ? found : { ...found, expiresAt: new Date(expiresAt) }]
}

const HOUR_MS = 3_600_000

/** The roles that a group gives, if the user was last reported in it since the mapping was added. */
const mappedIn = (
  steps: AccessSteps,
  { via, provider, mapping, membership }: GroupSteps,
): readonly FoundMappedRole[] => {
  const idp = provider.at(-1)
  const state = mapping.at(-1)?.state
  const report = membership.at(-1)
  const added = began(mapping, isExisting)
  if (!idp || !state || !report || !added) return []
  const isMember = exists(report.state) && report.state.groups.includes(via.group)
  if (!exists(idp.state) || !exists(state) || !isMember) return []
  if (report.event.position < added.event.position) return []
  const reported = timeOf(report.event.position).getTime()
  const { validFor } = state
  const expiresAt = validFor === undefined ? undefined : new Date(reported + validFor * HOUR_MS)
  const isProviderActive = idp.state.status === 'active'
  return state.roles
    .filter((role) => !endOf(role, steps))
    .flatMap(({ roleKey }) => shownRoles(steps, roleKey, expiresAt))
    .map((role) => ({ ...role, via: { ...via }, isProviderActive }))
}

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

const stateOf = (
  steps: readonly Step<ProjectGrantState | UserGrantState>[],
): 'active' | 'inactive' | undefined => {
  const state = steps.at(-1)?.state
  return state && exists(state) ? state.status : undefined
}

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
