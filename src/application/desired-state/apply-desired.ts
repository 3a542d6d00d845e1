import { err, ok, type Result } from 'neverthrow'
import { exists } from '../../domain/aggregate.js'
import { aggregates } from '../../domain/aggregates.js'
import { jsonBytes } from '../../domain/encoding.js'
import type { StreamId } from '../../domain/values.js'
import { MAX_APPEND_BYTES, MAX_WRITES } from '../../ports/event-store.js'
import { invalid, type Moved, type PermissionDenied, type WriteError } from '../errors/errors.js'
import { grantQuestion } from '../grant-rules/current-roles.js'
import type { AdmittedCall } from '../method/context.js'
import {
  type AnyStreamState,
  detailsOf,
  type StreamChange,
  sequenceOf,
} from '../recording/stream-state.js'
import { transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { awaitFollowers, callPort, pause, raceAbort, retryDeadline } from '../waiting.js'
import { comparePlan, plannedUnit, sequenceMoved } from './compare-plan.js'
import type { Draft, Guard } from './deciding/draft.js'
import {
  type DecidedUnit,
  decideUnits,
  findUndeclared,
  inOrderOfNeed,
  type Unit,
  unitsOf,
} from './deciding/units.js'
import type { ParsedAccess } from './declared/desired-access.js'
import { type Applied, type AppliedChange, type ParsedPlan, planOf } from './plan/plan.js'
import { openAccess, type Planning, sealAccess } from './sealed-secrets.js'

export const applyDesired = async (
  runtime: Runtime,
  call: AdmittedCall,
  access: ParsedAccess,
): Promise<Result<Applied, WriteError>> => applyUnits(await sealAccess(runtime, call, access))

export const applyPlan = async (
  runtime: Runtime,
  call: AdmittedCall,
  plan: ParsedPlan,
): Promise<Result<Applied, WriteError>> => {
  if (plan.orgId !== call.orgId)
    return err(invalid('orgId', 'must be the organization of the context'))
  for (const option of ['managedBy', 'version', 'protect'] as const)
    if ((plan[option] || undefined) !== (plan.desired[option] || undefined))
      return err(invalid(option, 'must equal the value in the desired state'))
  const planning = await openAccess(runtime, call, plan)
  return planning.isErr() ? err(planning.error) : applyUnits(planning.value, plan)
}

/**
 * Decides as a plan does, and records the decisions, unit by unit. The changes of a given plan must be the same;
 * otherwise nothing is recorded. After a refusal, the units before it stay applied.
 */
const applyUnits = async (
  planning: Planning,
  plan?: ParsedPlan,
): Promise<Result<Applied, WriteError>> => {
  const { call } = planning
  const { signal } = call
  const units = await raceAbort(unitsOf(planning), signal)
  // Everything is decided before anything is recorded, so that a refusal comes first.
  const decided = await decide(
    planning,
    plan ? units.map((unit) => plannedUnit(plan, unit)) : units,
  )
  if (decided.isErr()) return err(decided.error)
  const changes = decided.value.flatMap(({ drafts }) => drafts.map(({ change }) => change))
  const refusal = plan && comparePlan(plan, changes)
  if (refusal) return err(refusal)
  for (const { drafts } of decided.value) {
    const permitted = await permitGrants(planning, drafts)
    if (permitted.isErr()) return err(permitted.error)
  }
  const undeclared = await raceAbort(findUndeclared(planning, changes), signal)
  const recorded: Recorded = new Map()
  const applied = new Map<DecidedUnit, readonly AppliedChange[]>()
  for (const unit of inOrderOfNeed(decided.value)) {
    const done = await applyUnit(planning, unit, { recorded, hasPlan: plan !== undefined })
    if (done.isErr()) return err(done.error)
    applied.set(unit, done.value)
  }
  const all = decided.value.flatMap((unit) => applied.get(unit) ?? [])
  return ok(planOf(call.orgId, planning.access, { changes: all, undeclared }))
}

const decide = async (
  planning: Planning,
  units: readonly Unit[],
): Promise<Result<readonly DecidedUnit[], WriteError>> => {
  const { runtime, call } = planning
  const at = await callPort(() => runtime.store.lastPosition(), call.signal)
  const decided = await decideUnits(planning, units, at)
  // What is not changed is answered as it was at that position.
  await awaitFollowers(runtime, at)
  return decided
}

/** Records the decisions on a unit. Without a given plan, decides again when another writer was faster. */
const applyUnit = async (
  planning: Planning,
  unit: DecidedUnit,
  { recorded, hasPlan }: { readonly recorded: Recorded; readonly hasPlan: boolean },
): Promise<Result<readonly AppliedChange[], WriteError>> => {
  const { runtime, call } = planning
  const isTooLate = retryDeadline(runtime.environment)
  let { drafts } = unit
  let earlier = recorded
  for (let attempts = 1; ; attempts++) {
    if (drafts.every(({ write }) => write === undefined))
      return ok(drafts.map((draft) => appliedChange(planning, draft, recorded)))
    const done = await recordDrafts(planning, drafts, earlier)
    if (done.isOk()) {
      for (const [name, stream] of done.value) recorded.set(name, stream)
      return ok(drafts.map((draft) => appliedChange(planning, draft, done.value)))
    }
    if (hasPlan || done.error.kind !== 'PlanOutdated') return err(done.error)
    if (isTooLate()) return err({ kind: 'Aborted', attempts })
    await pause(runtime.environment, attempts, call.signal)
    const again = await decide(planning, [unit])
    if (again.isErr()) return err(again.error)
    drafts = again.value.flatMap((each) => each.drafts)
    const permitted = await permitGrants(planning, drafts)
    if (permitted.isErr()) return err(permitted.error)
    earlier = new Map()
  }
}

const appliedChange = (
  { call: { orgId } }: Planning,
  { change, before, write }: Draft,
  recorded: Recorded,
): AppliedChange => {
  const stream = write ? recorded.get(write.before.name) : before
  const hasDetails = stream && (write || exists(stream.state))
  return { ...change, ...(hasDetails && { details: detailsOf(stream, orgId) }) }
}

/** Calls `authorize` with the roles that grants and mappings gain or lose. */
const permitGrants = async (
  { call: { orgId }, permit }: Planning,
  drafts: readonly Draft[],
): Promise<Result<void, PermissionDenied>> => {
  for (const { change, changedRoleKeys: roleKeys } of drafts) {
    if (!roleKeys) continue
    const { object } = change
    const question = grantQuestion(aggregates[object.type], { input: object, orgId, roleKeys })
    const answer = await permit(question)
    if (answer.isErr()) return answer
  }
  return ok()
}

/** Streams as `apply` has left them, by name. */
type Recorded = Map<StreamId, AnyStreamState>

/**
 * Records the drafts of one unit: in one append, or in several if they take more than an append holds, or end a
 * protection. Each append requires that the objects it changes, those that the changes depend on, and the project have
 * not changed since the decision, except by this call: `earlier` has what it recorded since.
 */
const recordDrafts = async (
  planning: Planning,
  drafts: readonly Draft[],
  earlier: ReadonlyMap<StreamId, AnyStreamState>,
): Promise<Result<Recorded, WriteError>> => {
  const { environment } = planning.runtime
  const recorded: Recorded = new Map()
  for (const batch of batchesOf(drafts)) {
    await environment.yield()
    if (planning.call.signal?.aborted) return err({ kind: 'Cancelled' })
    const latest = (known: AnyStreamState) =>
      recorded.get(known.name) ?? earlier.get(known.name) ?? known
    const appended = await append(planning, batch, latest)
    if (appended.isErr()) return err(appended.error)
    for (const stream of appended.value) recorded.set(stream.name, stream)
  }
  await environment.yield()
  return ok(recorded)
}

/** The changes of one append. */
interface Batch {
  readonly writes: (Guard & { readonly write: StreamChange })[]
  /** What must not have changed besides the objects that are written. */
  readonly guards: Map<StreamId, Guard>
  /** Whether it ends the protection of its objects. */
  readonly isLift: boolean
}

const append = (
  { runtime, call, access }: Planning,
  { writes, guards, isLift }: Batch,
  latest: (known: AnyStreamState) => AnyStreamState,
): Promise<Result<readonly AnyStreamState[], WriteError>> =>
  transact(runtime, call, {
    marks: isLift ? { ...access, protect: false } : access,
    decide: async (streams) => {
      const moved: Moved[] = []
      const check = ({ object, known }: Guard): AnyStreamState => {
        const expected = latest(known)
        const now = streams.current(expected)
        if (now.changed !== expected.changed) {
          const change = sequenceMoved(sequenceOf(expected), sequenceOf(now)) ?? 'changed'
          moved.push({ object, change })
        }
        return now
      }
      for (const guard of guards.values()) check(guard)
      const changes = writes.map((each) => ({ ...each.write, before: check(each) }))
      return moved.length > 0 ? err({ kind: 'PlanOutdated', moved }) : ok({ changes })
    },
    answer: ({ streams }) => streams,
  })

/**
 * The appends of one unit: as many changes to each as it takes, in their order. A project is protected before the objects
 * in it, and its protection ends after theirs.
 */
const batchesOf = ([head, ...contents]: readonly Draft[]): readonly Batch[] => {
  if (!head) return []
  const project = head.before ? [{ object: head.change.object, known: head.before }] : []
  const batches: Batch[] = []
  for (const isLift of [false, true]) {
    let last: Batch | undefined
    let names = new Set<StreamId>()
    let bytes = 0
    for (const draft of isLift ? [...contents, head] : [head, ...contents]) {
      const { change, write, guards = [] } = draft
      if (!write || (draft.isLift ?? false) !== isLift) continue
      const rests = [...project, ...guards, { object: change.object, known: write.before }]
      const size = write.events.reduce((sum, { data }) => sum + jsonBytes(data), 0)
      const added = rests.filter(({ known }) => !names.has(known.name)).length
      if (!last || names.size + added > MAX_WRITES || bytes + size > MAX_APPEND_BYTES) {
        last = { writes: [], guards: new Map(), isLift }
        batches.push(last)
        names = new Set()
        bytes = 0
      }
      last.writes.push({ object: change.object, known: write.before, write })
      for (const guard of rests) last.guards.set(guard.known.name, guard)
      for (const { known } of rests) names.add(known.name)
      bytes += size
    }
  }
  for (const { writes, guards } of batches)
    for (const { known } of writes) guards.delete(known.name)
  return batches
}
