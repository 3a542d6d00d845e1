import { err, ok, type Result } from 'neverthrow'
import type * as z from 'zod/mini'
import { exists } from '../../domain/aggregate.js'
import type { RoleGeneration } from '../../domain/role-generations.js'
import type { RoleMappingState } from '../../domain/role-mapping/aggregate.js'
import type { UserGrantState } from '../../domain/user-grant/aggregate.js'
import { type Position, type RecordedEvent, timeOf } from '../../ports/event-store.js'
import type { HistoryEntry } from '../../ports/read-model.js'
import type { AccessReason, ReadError } from '../errors/errors.js'
import { judgeAccess } from '../grant-rules/judge-access.js'
import type { AdmittedCall } from '../method/context.js'
import { momentOf } from '../method/input.js'
import type { Runtime } from '../runtime.js'
import { fromPort } from '../waiting.js'
import type { ExplainAccessInput } from './check-access.js'
import {
  type AccessSteps,
  began,
  endOf,
  foundIn,
  inOrder,
  isExisting,
  replayAccess,
  type Step,
} from './past-access.js'

/** Why a role counts for a user, or does not. */
export interface AccessExplanation {
  /** Whether the role counts, or counted. */
  readonly allowed: boolean
  /** The reasons of `access.check`: empty when allowed, otherwise all that apply. */
  readonly reasons: readonly AccessReason[]
  /**
   * The changes that led to this result, oldest first: those that added the role, granted the project, and gave the
   * role to the user (or mapped a group and reported the user in it), and, if it does not count, the one that ended it.
   */
  readonly because: readonly AccessCause[]
}

/**
 * An entry of the history. A change in another organization, which owns the project, shows only position, time and
 * type.
 */
export type AccessCause = HistoryEntry | OtherCause

/** A change in another organization, without its details. */
export interface OtherCause {
  /** Position of the event in the log. */
  readonly sequence: Position
  /** When it was recorded. */
  readonly time: Date
  /** Type of the event, such as `project_role.removed`. */
  readonly type: HistoryEntry['type']
}

/** Answers an {@link ExplainAccessInput} from the log. */
export const explainAccess = async (
  runtime: Runtime,
  call: AdmittedCall,
  input: z.output<typeof ExplainAccessInput>,
): Promise<Result<AccessExplanation, ReadError>> => {
  const { orgId } = call
  const { userId, projectId, projectOrgId = orgId, resource, roleKey, at } = input
  const moment = momentOf(at, runtime.now())
  if (moment.isErr()) return err(moment.error)
  const { now, at: until = await fromPort(() => runtime.store.lastPosition()) } = moment.value
  const ids = { orgId, userId, projectOrgId, projectId, resource }
  const steps = await replayAccess(runtime, call, ids, { until, roleKey })
  const { isOwn } = steps
  const { allowed, reasons } = judgeAccess(foundIn(steps, ids), { isOwn, roleKey, now })
  const causes = causesOf(steps, roleKey)
  const because = await Promise.all(causes.map((event) => shown(runtime, call, event)))
  return ok({ allowed, reasons, because })
}

/** The event as `history.list` shows it, if it belongs to the organization of the context. */
const shown = async (
  runtime: Runtime,
  call: AdmittedCall,
  { position, type, metadata }: RecordedEvent,
): Promise<AccessCause> => {
  const { orgId } = call
  if (metadata.resourceOwner !== orgId) return { sequence: position, time: timeOf(position), type }
  const query = { orgId, after: position - 1n, before: position + 1n, limit: 1 }
  // The log was read to this position, so the read model must have reached it too.
  const strong = { ...call, consistency: 'strong' as const }
  const [entry] = await runtime.query(strong, { method: 'history', args: [query] })
  if (!entry) throw new Error(`The history has no entry of the event at ${position}`)
  return entry
}

/** The events that decide whether a role counts, oldest first: replaying only them leads to the same result. */
const causesOf = (steps: AccessSteps, roleKey: string): readonly RecordedEvent[] => {
  const { isOwn, project, projectGrant, userGrants } = steps
  // Nothing is revealed of another organization's project that was never granted.
  if (!isOwn && projectGrant.length === 0) return []
  const ofProject = lifeOf(project)
  const causes = [
    // Nothing is revealed of the project after its grant was removed.
    ...(isOwn || isThere(projectGrant) ? ofProject : ofProject.slice(0, 1)),
    ...lifeOf(projectGrant),
    ...userGrants.flatMap(lifeOf),
    ...causesOfRole(steps, roleKey),
  ]
  return inOrder(causes)
}

/** The events that last added a role and gave it to the user, in each way, and those that ended that. */
const causesOfRole = (steps: AccessSteps, roleKey: string): readonly RecordedEvent[] => [
  ...steps.userGrants.flatMap((grant) =>
    causesOfWay(steps, grant, lastHeld(grant, roleKey, expiryIn)),
  ),
  ...steps.groups.flatMap(({ provider, mapping, membership }) => {
    const held = lastHeld(mapping, roleKey, validityIn)
    if (!held) return []
    const report = membership.at(-1)
    return [
      ...lifeOf(provider),
      ...lifeOf(mapping),
      ...(report ? [report.event] : []),
      ...causesOfWay(steps, mapping, held),
    ]
  }),
]

/** The events that added a role and gave it through a grant or a mapping, and those that ended that. */
const causesOfWay = (
  steps: AccessSteps,
  way: readonly Step[],
  held: RoleInSteps | undefined,
): readonly RecordedEvent[] => {
  if (!held) return []
  const { projectGrant, roles } = steps
  const { role, given, terms, taken } = held
  const added = roles.get(role.roleKey)?.find(({ event }) => event.version === role.roleSince)
  const granted = projectGrant.findIndex(({ event }) => event.version === role.grantSince)
  const end = endOf(role, steps)?.event
  const isFirst = end && (!taken || end.position < taken.event.position)
  return [
    ...(added ? [added.event] : []),
    ...beginningOf(projectGrant, granted),
    ...beginningOf(way, given),
    terms.event,
    ...(isFirst ? [end] : []),
    ...(taken ? [taken.event] : []),
  ]
}

/** A role of a user or a group, as it was last given. */
interface RoleInSteps {
  readonly role: RoleGeneration
  /** Index of the step that gave it. */
  readonly given: number
  /** The step that last set its expiry, or for how long a report counts. */
  readonly terms: Step
  /** The step that removed it from the grant or the mapping, if any. */
  readonly taken: Step | undefined
}

const expiryIn = (state: UserGrantState, { roleKey }: RoleGeneration) =>
  exists(state) ? state.roles.find((role) => role.roleKey === roleKey)?.expiresAt : undefined

/** For how long a report counts for a mapping. */
const validityIn = (state: RoleMappingState) =>
  exists(state) && state.validFor !== undefined ? String(state.validFor) : undefined

const lastHeld = <State extends UserGrantState | RoleMappingState>(
  steps: readonly Step<State>[],
  roleKey: string,
  termsIn: (state: State, role: RoleGeneration) => string | undefined,
): RoleInSteps | undefined => {
  let held: RoleInSteps | undefined
  let terms: string | undefined
  for (const [index, step] of steps.entries()) {
    const state: UserGrantState | RoleMappingState = step.state
    const roles: readonly RoleGeneration[] = exists(state) ? state.roles : []
    const role = roles.find((each) => each.roleKey === roleKey)
    if (!role) {
      held = held && { ...held, taken: held.taken ?? step }
      continue
    }
    const before = terms
    terms = termsIn(step.state, role)
    if (!held || held.taken || !isSameGeneration(held.role, role))
      held = { role, given: index, terms: step, taken: undefined }
    else if (terms !== before) held = { ...held, role, terms: step }
  }
  return held
}

const isSameGeneration = (one: RoleGeneration, other: RoleGeneration): boolean =>
  one.roleSince === other.roleSince && one.grantSince === other.grantSince

/** The events that last added an object, deactivated it if it is inactive, and removed it if it was removed. */
const lifeOf = (steps: readonly Step[]): readonly RecordedEvent[] => {
  const last = steps.at(-1)
  if (!last) return []
  const inactive = last.state.status === 'inactive' && began(steps, isInactive)
  return [
    ...beginningOf(steps, steps.length - 1).slice(0, 1),
    ...(inactive ? [inactive.event] : []),
    ...(isThere(steps) ? [] : [last.event]),
  ]
}

/** The event that last added an object before the step with that index, and that step; empty without such a step. */
const beginningOf = (steps: readonly Step[], index: number): readonly RecordedEvent[] => {
  const until = steps.slice(0, index + 1)
  const last = until.at(-1)
  const added = began(until, isExisting)
  return last && added ? [added.event, last.event] : []
}

const isInactive = ({ state }: Step): boolean => state.status === 'inactive'

/** Whether the object exists at the end. */
const isThere = (steps: readonly Step[]): boolean => steps.slice(-1).some(isExisting)
