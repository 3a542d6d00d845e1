import { err } from 'neverthrow'
import { changedFields } from '../../../domain/message.js'
import { MAX_REPORTED } from '../../../domain/values.js'
import type { NewEvent } from '../../../ports/event-store.js'
import { streamOf } from '../../../projections/read-events.js'
import type { InvalidArgument, Moved, PlanOutdated, Violation } from '../../errors/errors.js'
import type { ParsedPlan, PlannedChange, PlannedChangeInput, PlannedField } from '../plan/plan.js'
import { onlyLifts } from '../planning/pending-change.js'
import type { PlanUnit } from '../planning/plan-access.js'
import type { Planning } from '../planning/sealed-secrets.js'

/**
 * The refusal of a given plan if its changes differ from those that its desired state leads to now: outdated if an
 * object has changed since, invalid if its changes never followed from its desired state.
 */
export const comparePlan = (
  { changes: given }: ParsedPlan,
  planned: readonly PlannedChange[],
): PlanOutdated | InvalidArgument | undefined => {
  const left = new Map(planned.map((change) => [streamOf('', change.object), change]))
  const moved: Moved[] = []
  const violations: Violation[] = []
  for (const [index, change] of given.entries()) {
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
  given: PlannedChangeInput,
  now: PlannedChange | undefined,
): Moved['change'] | undefined => {
  // Only an undeclared object can leave a plan: it was removed, marked by others, or its protection ended.
  if (!now) {
    const mayLeave = ['remove', 'superseded'].includes(given.action) || onlyLifts(given)
    return mayLeave ? 'removed' : undefined
  }
  const change = sequenceMoved(given.sequence, now.sequence)
  if (change) return change
  if (given.action !== now.action) {
    const isGone = !now.sequence && ['blocked', 'superseded'].includes(now.action)
    return isGone ? 'removed' : 'changed'
  }
  // A grant loses roles that are removed, without an event of its own.
  const isOtherBefore = given.fields.some((field) => {
    const other = now.fields.find((each) => each.field === field.field)
    return other && !same(valueBefore(field), valueBefore(other))
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

const valueBefore = (field: PlannedField): object => ('from' in field ? { from: field.from } : {})

/** The first field of a given change that differs from the planned one; undefined if none does. */
const wrongField = (
  { reason, fields, events }: PlannedChangeInput,
  now: PlannedChange | undefined,
): string | undefined => {
  if (!now) return 'object'
  if (reason !== now.reason) return 'reason'
  if (!sameList(fields, now.fields, same)) return 'fields'
  return !events || sameList(events, now.events, sameEvent) ? undefined : 'events'
}

const sameEvent = (one: NewEvent, other: NewEvent): boolean =>
  one.type === other.type && one.schemaVersion === other.schemaVersion && same(one.data, other.data)

const sameList = <Item>(
  list: readonly Item[],
  others: readonly Item[],
  isSame: (one: Item, other: Item) => boolean,
): boolean =>
  list.length === others.length &&
  list.every((item, index) => {
    const other = others[index]
    return other !== undefined && isSame(item, other)
  })

/** Whether two objects have the same fields with the same values. */
const same = (one: object, other: object): boolean =>
  changedFields(one, other).length === 0 && changedFields(other, one).length === 0

/**
 * Plans a unit of a plan's desired state. If it is refused now but was not when the plan was made, the plan is
 * outdated.
 */
export const asGiven = (planning: Planning, plan: ParsedPlan, unit: PlanUnit): PlanUnit => ({
  object: unit.object,
  plan: async () => {
    const planned = await unit.plan()
    if (planned.isOk()) return planned
    const refusal = planned.error
    if (refusal.kind === 'NotFound')
      return err({ kind: 'PlanOutdated', moved: [{ object: refusal.object, change: 'removed' }] })
    if (refusal.kind !== 'InvalidArgument') return planned
    const change = await movedSince(planning, plan, unit)
    if (change) return err({ kind: 'PlanOutdated', moved: [{ object: unit.object, change }] })
    const violations = refusal.violations.map(({ field, description }) => ({
      field: `desired.${field}`,
      description,
    }))
    return err({ kind: 'InvalidArgument', violations })
  },
})

/** How the object of a unit that cannot be planned has changed; undefined if it has not. */
const movedSince = async (
  { runtime, call: { orgId, signal } }: Planning,
  { changes }: ParsedPlan,
  { object }: PlanUnit,
): Promise<Moved['change'] | undefined> => {
  const stream = streamOf('', object)
  const given = changes.find((change) => streamOf('', change.object) === stream)
  if (!given) return undefined
  const found = await runtime.query(
    { consistency: 'strong', signal },
    { method: 'get', args: [orgId, object] },
  )
  const change = sequenceMoved(given.sequence, found && String(found.details.sequence))
  return change ?? (given.action === 'blocked' ? 'changed' : undefined)
}
