import { err, ok, Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { exists } from '../../../domain/decider.js'
import { jsonBytes } from '../../../domain/encoding.js'
import { projectGrants } from '../../../domain/project-grant/aggregate.js'
import { roleMappings } from '../../../domain/role-mapping/aggregate.js'
import type { ObjectRef } from '../../../domain/values.js'
import { MAX_APPEND_BYTES, MAX_WRITES } from '../../../ports/event-store.js'
import type { Moved, PermissionDenied, WriteError } from '../../errors/errors.js'
import { decideProjectGrant } from '../../grant-rules/decide-project-grant.js'
import { decideRoleMapping } from '../../grant-rules/decide-role-mapping.js'
import { type GrantChange, grantQuestion } from '../../grant-rules/permit-roles.js'
import {
  type AnyStreamState,
  change,
  detailsOf,
  type StreamChange,
  sequenceOf,
} from '../../recording/stream-state.js'
import type { Streams } from '../../recording/streams.js'
import { transact } from '../../recording/transact.js'
import { raceAbort } from '../../waiting.js'
import type {
  AppliedChange,
  FieldValue,
  PlannedChange,
  PlannedEvent,
  PlannedGrantAdded,
  PlannedGrantUpdated,
  PlannedMappingAdded,
  PlannedMappingUpdated,
} from '../plan/plan.js'
import { changesProtection, type PendingChange } from '../planning/pending-change.js'
import type { Planning } from '../planning/sealed-secrets.js'
import { asOutdated, sequenceMoved } from './compare-plan.js'

/** Streams after the appends of one unit, by the change that was recorded in them. */
type Recorded = Map<PendingChange, AnyStreamState>

/**
 * Records the changes of one unit: in one append, or in several if there are grants or more role changes than one
 * append takes. Each append requires that the objects it changes, and the project, have not changed since they were
 * planned.
 */
export const applyChanges = async (
  planning: Planning,
  changes: readonly PendingChange[],
): Promise<Result<readonly AppliedChange[], WriteError>> => {
  const { orgId, signal } = planning.call
  const { environment } = planning.runtime
  await environment.yield()
  if (signal?.aborted) return err({ kind: 'Cancelled' })
  const recorded: Recorded = new Map()
  for (const batch of await raceAbort(batchesOf(planning, changes), signal)) {
    const appended = await append(planning, batch, recorded)
    if (appended.isErr()) return err(appended.error)
    await environment.yield()
  }
  return ok(
    changes.map((pending) => {
      const stream = recorded.get(pending)
      const details = stream ? detailsOf(stream, orgId) : pending.details
      return { ...pending.change, ...(details && { details }) }
    }),
  )
}

/** The changes of one append. */
interface Batch {
  readonly writes: readonly PendingChange[]
  /** The change of the project, which is only checked unless it is one of `writes`. */
  readonly guard: PendingChange
  /** Whether it ends the protection of its objects. */
  readonly isLift: boolean
}

const append = (
  planning: Planning,
  { writes, guard, isLift }: Batch,
  recorded: Recorded,
): Promise<Result<void, WriteError>> => {
  const { runtime, call, access } = planning
  return transact(runtime, call, {
    marks: isLift ? { ...access, protect: false } : access,
    decide: async (streams) => {
      const guards = writes.includes(guard) ? [] : [guard]
      const decided = await Promise.all(
        [...guards, ...writes].map((pending) =>
          decide(planning, streams, pending, guards.includes(pending)),
        ),
      )
      const moved = decided.flatMap(({ pending, before }): readonly Moved[] => {
        const change = movedSince(pending, before, recorded.get(pending))
        return change ? [{ object: pending.change.object, change }] : []
      })
      if (moved.length > 0) return err({ kind: 'PlanOutdated', moved })
      const decisions = decided.slice(-writes.length).map((each) => each.decision)
      return Result.combine(decisions).map((changes) => ({ changes }))
    },
    answer: ({ streams }) => {
      for (const [index, stream] of streams.entries()) {
        const pending = writes[index]
        if (!pending) throw new Error('More streams were recorded than were written')
        recorded.set(pending, stream)
      }
    },
  })
}

/** A planned change with the current stream of its object, and the events to add to it. */
interface Decided {
  readonly pending: PendingChange
  readonly before: AnyStreamState
  readonly decision: Result<StreamChange, WriteError>
}

/**
 * Decides on a planned change: events that give roles get the current generations of the roles, others stay as they
 * are.
 */
const decide = async (
  planning: Planning,
  streams: Streams,
  pending: PendingChange,
  isGuard: boolean,
): Promise<Decided> => {
  const { action, object, events } = pending.change
  // A new project that guards an append was recorded by an earlier one.
  const load = action === 'add' && !isGuard ? 'assume-empty' : 'cached'
  const before = await streams.read(aggregates[object.type], object, { load })
  const [grant] = events.filter(givesRoles)
  if (!grant) {
    const others = events.filter((event) => !givesRoles(event))
    return { pending, before, decision: ok(change(before, others)) }
  }
  const decision = await decideGiving(streams, grant, changesProtection(pending.change))
  if (decision.isErr()) return { pending, before, decision: err(asOutdated(decision.error)) }
  const permitted = await permitRoles(planning, object, decision.value.changedRoleKeys())
  return { pending, before, decision: permitted.map(() => decision.value) }
}

/** Decides on a grant or a mapping, which is recorded again even if nothing changes with `isTouch`. */
const decideGiving = (
  streams: Streams,
  { type, data }: GivingEvent,
  isTouch: boolean,
): Promise<Result<GrantChange, WriteError>> => {
  switch (type) {
    case 'project_grant.added':
      return decideProjectGrant(streams, { type: 'AddProjectGrant', ...data })
    case 'project_grant.updated':
      return decideProjectGrant(streams, { type: 'UpdateProjectGrant', ...data, isTouch })
    case 'role_mapping.added':
      return decideRoleMapping(streams, { type: 'AddRoleMapping', ...data })
    case 'role_mapping.updated':
      return decideRoleMapping(streams, { type: 'UpdateRoleMapping', ...data, isTouch })
  }
}

/** Calls `authorize` with the roles that the grants and mappings among `changes` gain or lose. */
export const permitGrants = async (
  planning: Planning,
  changes: readonly PendingChange[],
): Promise<Result<void, PermissionDenied>> => {
  for (const { change } of changes.filter((pending) => isGrant(pending) && hasEvents(pending))) {
    const answer = await permitRoles(planning, change.object, changedRoleKeys(change))
    if (answer.isErr()) return answer
  }
  return ok()
}

/**
 * Keys of the roles that a planned change adds to a grant or removes from it; all of them if it changes how long reports
 * of a mapping count.
 */
const changedRoleKeys = ({ fields, events }: PlannedChange): readonly string[] => {
  const found = fields.find(({ field }) => field === 'roleKeys')
  const [before, after] = found && !('secret' in found) ? [found.from, found.to].map(asKeys) : []
  const given = events.filter(givesRoles).flatMap(({ data }) => data.roleKeys)
  const keys = [...new Set<string>([...(before ?? []), ...given])]
  if (fields.some(({ field }) => field === 'validFor')) return keys
  return keys.filter((roleKey) => before?.includes(roleKey) !== after?.includes(roleKey))
}

const asKeys = (value: FieldValue | undefined): readonly string[] =>
  typeof value === 'object' ? value : []

const permitRoles = (
  { call: { orgId }, permit }: Planning,
  input: ObjectRef,
  roleKeys: readonly string[],
): Promise<Result<void, PermissionDenied>> =>
  permit(grantQuestion(aggregates[input.type], { input, orgId, roleKeys }))

type GivingEvent = Extract<
  PlannedEvent,
  PlannedGrantAdded | PlannedGrantUpdated | PlannedMappingAdded | PlannedMappingUpdated
>

/** Whether `event` gives roles: the generations of these must be looked up to record it. */
const givesRoles = (event: PlannedEvent): event is GivingEvent =>
  GIVING.some((type) => type === event.type)

const GIVING: readonly GivingEvent['type'][] = [
  'project_grant.added',
  'project_grant.updated',
  'role_mapping.added',
  'role_mapping.updated',
]

/** How an object changed since it was planned, or since an earlier append of its unit; undefined if it did not. */
const movedSince = (
  { details, lastEvent }: PendingChange,
  before: AnyStreamState,
  recorded: AnyStreamState | undefined,
): Moved['change'] | undefined => {
  const expected = recorded ? sequenceOf(recorded) : details?.sequence
  const actual = sequenceOf(before)
  // An object that was added and removed again since is absent too, but its last event differs.
  return actual === undefined && lastEvent !== undefined
    ? sequenceMoved(lastEvent, before.changed)
    : sequenceMoved(expected, actual)
}

/**
 * The appends of one unit. As many role changes to an append as it takes; then as many grants, which are decided on
 * roles that are recorded. A project is protected before the objects in it, and its protection ends after theirs.
 */
const batchesOf = async (
  planning: Planning,
  [head, ...rest]: readonly PendingChange[],
): Promise<readonly Batch[]> => {
  if (!head) return []
  const changed = rest.filter(hasEvents)
  const batches: Batch[] = []
  for (const isLift of [false, true]) {
    const own = hasEvents(head) && isLifted(head) === isLift ? [head] : []
    const some = changed.filter((pending) => isLifted(pending) === isLift)
    const roles = some.filter((pending) => !isGrant(pending))
    const grants = some.filter(isGrant)
    for (const part of isLift ? [roles, grants, own] : [[...own, ...roles], grants])
      for (const writes of await split(planning, head, part))
        batches.push({ writes, guard: head, isLift })
  }
  return batches
}

/** Most bytes that the recorded generation of a role takes besides its key. */
const GENERATION_BYTES = 60

/** Most bytes that the events of a change take as JSON. */
const bytesOf = ({ change: { events } }: PendingChange): number =>
  events.reduce((sum, event) => {
    const roles = givesRoles(event) ? event.data.roleKeys.length : 0
    return sum + jsonBytes(event.data) + GENERATION_BYTES * roles
  }, 0)

const isLifted = ({ isLift = false }: PendingChange): boolean => isLift

const hasEvents = ({ change }: PendingChange): boolean => change.events.length > 0

/** Whether it is a grant or a mapping, which is decided on roles that are recorded. */
const isGrant = ({ change: { object } }: PendingChange): boolean =>
  object.type === 'project_grant' || object.type === 'role_mapping'

/** Changes whose guards are read at the same time. */
const CONCURRENCY = 50

/** Splits changes into appends, which also write `head` and the streams that guard the changes: one always fits. */
const split = async (
  planning: Planning,
  head: PendingChange,
  changes: readonly PendingChange[],
): Promise<readonly (readonly PendingChange[])[]> => {
  const batches: PendingChange[][] = []
  let last: PendingChange[] = []
  let guards = new Set<string>()
  let bytes = 0
  for (let from = 0; from < changes.length; from += CONCURRENCY) {
    const reading = changes.slice(from, from + CONCURRENCY).map(async (pending) => ({
      pending,
      names: await guardsOf(planning, pending.change),
    }))
    for (const { pending, names } of await Promise.all(reading)) {
      const added = names.filter((name) => !guards.has(name))
      const writes = (last[0] === head ? 0 : 1) + last.length + 1
      bytes += bytesOf(pending)
      if (
        last.length === 0 ||
        writes + guards.size + added.length > MAX_WRITES ||
        bytes > MAX_APPEND_BYTES
      ) {
        last = []
        guards = new Set()
        bytes = bytesOf(pending)
        batches.push(last)
      }
      last.push(pending)
      for (const name of names) guards.add(name)
    }
  }
  return batches
}

/**
 * Names of the streams that guard a grant or a mapping beside its project: the roles that it names, those that are recorded
 * of it, ended ones included, and the provider. One that others change meanwhile is out of date, and is not recorded.
 */
const guardsOf = async (
  { runtime: { states }, call: { orgId } }: Planning,
  { events }: PlannedChange,
): Promise<readonly string[]> => {
  const [event] = events.filter(givesRoles)
  if (!event) return []
  const isMapping = event.type === 'role_mapping.added' || event.type === 'role_mapping.updated'
  const { state } = isMapping
    ? await states.readLatest(roleMappings, orgId, event.data)
    : await states.readLatest(projectGrants, orgId, event.data)
  const recorded = exists(state) ? state.roles.map(({ roleKey }) => roleKey) : []
  const roles = [...new Set<string>([...event.data.roleKeys, ...recorded])]
  return isMapping ? [...roles, `+${event.data.idpId}`] : roles
}
