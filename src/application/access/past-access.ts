import { exists } from '../../domain/decider.js'
import { isCurrent, isStillGranted, type RoleGeneration } from '../../domain/generations.js'
import type { Message } from '../../domain/message.js'
import { projects } from '../../domain/project/aggregate.js'
import type { ProjectState } from '../../domain/project/decider.js'
import { projectGrants } from '../../domain/project-grant/aggregate.js'
import type { ProjectGrantState } from '../../domain/project-grant/decider.js'
import { projectRoles } from '../../domain/project-role/aggregate.js'
import type { ProjectRoleState } from '../../domain/project-role/decider.js'
import { userGrants } from '../../domain/user-grant/aggregate.js'
import type { UserGrantState } from '../../domain/user-grant/decider.js'
import { OrgId, type ProjectId, RoleKey, type UserId } from '../../domain/values.js'
import type { FoundAccess, FoundRole, LostRole } from '../../ports/access-reads.js'
import type { EventStore, Position, RecordedEvent } from '../../ports/event-store.js'
import { compareCodePoints } from '../../projections/row-order.js'
import { foundProject } from '../../projections/rows.js'
import { fromPort } from '../errors/fault.js'
import { type Status, StreamState, type StreamsOf } from '../recording/stream-state.js'

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

/** All that led to the access of a user to a project, event by event, stream by stream. */
export interface AccessSteps {
  readonly isOwn: boolean
  readonly project: readonly Step<ProjectState>[]
  /** Of the grant of the project to the user's organization; empty where that organization owns the project. */
  readonly projectGrant: readonly Step<ProjectGrantState>[]
  readonly userGrant: readonly Step<UserGrantState>[]
  /** Of the role that was asked for, or of all that the user's grant last had. */
  readonly roles: ReadonlyMap<string, readonly Step<ProjectRoleState>[]>
}

/** Reads all that led to the access of a user, as the log has it up to a position. */
export const replayAccess = async (
  store: EventStore,
  { orgId, userId, projectOrgId, projectId }: AccessIds,
  { until, roleKey }: { readonly until: Position; readonly roleKey?: RoleKey | undefined },
): Promise<AccessSteps> => {
  const isOwn = projectOrgId === orgId
  const steps = stepsOf(store, until)
  const grantIds = { projectId, grantedOrgId: OrgId.parse(orgId) }
  const [project, projectGrant, userGrant] = await Promise.all([
    steps(projects, projectOrgId, { id: projectId }),
    isOwn ? [] : steps(projectGrants, projectOrgId, grantIds),
    steps(userGrants, orgId, { userId, projectId, projectOrgId }),
  ])
  const wanted = roleKey === undefined ? rolesOf(userGrant).map((role) => role.roleKey) : [roleKey]
  const roles = await Promise.all(
    wanted.map(async (each) => {
      const ids = { projectId, roleKey: RoleKey.parse(each) }
      return [each, await steps(projectRoles, projectOrgId, ids)] as const
    }),
  )
  return { isOwn, project, projectGrant, userGrant, roles: new Map(roles) }
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

/** The roles that the user's grant was last recorded with. */
const rolesOf = (userGrant: AccessSteps['userGrant']) => {
  const state = userGrant.at(-1)?.state
  return state && exists(state) ? state.roles : []
}

/** What the read model would have found then. */
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
    const shown = steps.roles.get(roleKey)?.at(-1)?.state
    const end = endOf(role, steps)
    if (end) lost.push({ roleKey, with: end.with })
    else if (shown && exists(shown)) {
      const { displayName, group, permissions } = shown
      const found = { roleKey, displayName, group, permissions }
      roles.push(expiresAt === undefined ? found : { ...found, expiresAt: new Date(expiresAt) })
    }
  }
  return {
    project: foundProject({ ...project, state: project.status }),
    projectGrant: stateOf(steps.projectGrant),
    userGrant: stateOf(steps.userGrant),
    roles: roles.sort((one, other) => compareCodePoints(one.roleKey, other.roleKey)),
    lost,
    mapped: [],
  }
}

const stateOf = (
  steps: readonly Step<ProjectGrantState | UserGrantState>[],
): 'active' | 'inactive' | undefined => {
  const state = steps.at(-1)?.state
  return state && exists(state) ? state.status : undefined
}

/** The first event of other streams that ended a role which a user was given. */
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
