import { err, ok, type Result } from 'neverthrow'
import { aggregates } from '../../domain/aggregates.js'
import { fieldOf, isRecord, MAX_REPORTED } from '../../domain/values.js'
import { streamOf } from '../../projections/read-events.js'
import type {
  InvalidArgument,
  Moved,
  PlanOutdated,
  Violation,
  WriteError,
} from '../errors/errors.js'
import { sequenceOf } from '../recording/stream-state.js'
import { unprotected } from '../recording/transact.js'
import { type Draft, onlyLifts, type Scene } from './deciding/draft.js'
import type { Unit } from './deciding/units.js'
import type { ParsedPlan, PlannedChange } from './plan/plan.js'

/**
 * The refusal of a given plan if its changes differ from those that its desired state leads to now: outdated if an
 * object has changed since, invalid if its changes never followed from its desired state.
 */
export const comparePlan = (
  { changes: expected }: ParsedPlan,
  planned: readonly PlannedChange[],
): PlanOutdated | InvalidArgument | undefined => {
  const left = new Map(planned.map((change) => [streamOf('', change.object), change]))
  const moved: Moved[] = []
  const violations: Violation[] = []
  for (const [index, change] of expected.entries()) {
    const { object } = change
    const stream = streamOf('', object)
    const now = left.get(stream)
    left.delete(stream)
    const what = movedTo(change, now)
    const field = what ? undefined : wrongField(change, now)
    if (what) moved.push({ object, change: what })
    if (field && violations.length < MAX_REPORTED)
      violations.push({ field: `changes[${index}].${field}`, description: NOT_PLANNED })
  }
  for (const { object } of left.values()) moved.push({ object, change: 'added' })
  if (moved.length > 0) return { kind: 'PlanOutdated', moved }
  return violations.length > 0 ? { kind: 'InvalidArgument', violations } : undefined
}

const NOT_PLANNED = 'must match what its desired state leads to now: plan again'

/** How the object of a change has changed since; undefined if it has not. */
const movedTo = (
  expected: PlannedChange,
  now: PlannedChange | undefined,
): Moved['change'] | undefined => {
  // Only an undeclared object can leave a plan: it was removed, marked by others, or its protection ended.
  if (!now) {
    const mayLeave = ['remove', 'superseded'].includes(expected.action) || onlyLifts(expected)
    return mayLeave ? 'removed' : undefined
  }
  const change = sequenceMoved(expected.sequence, now.sequence)
  if (change) return change
  if (expected.action !== now.action) {
    const isGone = !now.sequence && ['blocked', 'superseded'].includes(now.action)
    return isGone ? 'removed' : 'changed'
  }
  // A grant loses roles that are removed, without an event of its own.
  const isOtherBefore = expected.fields.some((field) => {
    const other = now.fields.find((each) => each.field === field.field)
    return other && !same(fieldOf(field, 'from'), fieldOf(other, 'from'))
  })
  return isOtherBefore ? 'changed' : undefined
}

/** How an object changed from one sequence to another; undefined if it did not. */
export const sequenceMoved = <Sequence>(
  before: Sequence | undefined,
  now: Sequence | undefined,
): Moved['change'] | undefined => {
  if (before === now) return undefined
  if (before === undefined) return 'added'
  return now === undefined ? 'removed' : 'changed'
}

/** The first field of a given change that differs from the planned one; undefined if none does. */
const wrongField = (
  { reason, fields }: PlannedChange,
  now: PlannedChange | undefined,
): string | undefined => {
  if (!now) return 'object'
  if (reason !== now.reason) return 'reason'
  if (!same(fields, now.fields)) return 'fields'
  return undefined
}

/** Whether two values of a plan are the same, in which an undefined field counts as absent. */
const same = (one: unknown, other: unknown): boolean => {
  if (!isRecord(one) || !isRecord(other)) return one === other
  const fields = new Set([...Object.keys(one), ...Object.keys(other)])
  return [...fields].every((field) => same(one[field], other[field]))
}

/**
 * A unit of a plan's desired state. If it is refused now but was not when the plan was made, the plan is outdated.
 */
export const plannedUnit = (plan: ParsedPlan, unit: Unit): Unit => ({
  ...unit,
  decide: async (scene) => {
    const decided = await unit.decide(scene)
    if (decided.isOk()) return outdatedOr(plan, decided.value, refusedChanges(scene, decided.value))
    const refusal = decided.error
    if (refusal.kind === 'NotFound')
      return err({ kind: 'PlanOutdated', moved: [{ object: refusal.object, change: 'removed' }] })
    if (refusal.kind !== 'InvalidArgument') return err(refusal)
    const change = await movedSince(scene, plan, unit)
    if (change) return err({ kind: 'PlanOutdated', moved: [{ object: unit.object, change }] })
    const violations = refusal.violations.map(({ field, description }) => ({
      field: `desired.${field}`,
      description,
    }))
    return err({ kind: 'InvalidArgument', violations })
  },
})

/** Refuses changes of objects that another desired state protects or manages. */
const refusedChanges = ({ planning: { access } }: Scene, drafts: readonly Draft[]) =>
  unprotected(access, ok({ changes: drafts.flatMap(({ write }) => write ?? []) }))

/** The drafts if they are permitted; otherwise the refusal, or `PlanOutdated` if the plan shows other changes. */
const outdatedOr = (
  plan: ParsedPlan,
  drafts: readonly Draft[],
  permitted: Result<unknown, WriteError>,
): Result<readonly Draft[], WriteError> => {
  if (permitted.isOk()) return ok(drafts)
  const planned = drafts.map(({ change }) => change)
  const streams = new Set(planned.map(({ object }) => streamOf('', object)))
  const changes = plan.changes.filter(({ object }) => streams.has(streamOf('', object)))
  const differs = comparePlan({ ...plan, changes }, planned)
  return err(differs?.kind === 'PlanOutdated' ? differs : permitted.error)
}

/** How the object of a unit that cannot be planned has changed; undefined if it has not. */
const movedSince = async (
  { streams }: Scene,
  { changes }: ParsedPlan,
  { object }: Unit,
): Promise<Moved['change'] | undefined> => {
  const stream = streamOf('', object)
  const expected = changes.find((change) => streamOf('', change.object) === stream)
  if (!expected) return undefined
  const now = sequenceOf(await streams.read(aggregates[object.type], object))
  const change = sequenceMoved(expected.sequence, now === undefined ? undefined : String(now))
  return change ?? (expected.action === 'blocked' ? 'changed' : undefined)
}
