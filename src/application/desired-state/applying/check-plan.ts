import { err, ok, type Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { streamOf } from '../../../projections/read-events.js'
import {
  type InvalidArgument,
  invalid,
  type Moved,
  type PlanOutdated,
} from '../../errors/errors.js'
import { fromPort } from '../../errors/fault.js'
import type { AdmittedCall } from '../../method/context.js'
import type { Runtime } from '../../runtime.js'
import type { Plan } from '../plan/plan.js'
import type { PlannedChange } from '../plan/planned-change.js'
import type { PlannedField } from '../plan/planned-field.js'
import { hasNoOpEvent, recordedFields, shownFields } from '../plan/recorded-fields.js'
import { isSuperseded, marksOn } from '../planning/object-marks.js'
import type { PendingChange } from '../planning/pending-change.js'
import {
  afterRemovals,
  grantedRoles,
  invalidGrant,
  outdatedByEndedRoles,
  outdatedByRoles,
} from './check-grants.js'
import { currentObjects } from './current-objects.js'
import { outdatedBy, type PlannedOn } from './plan-outdated.js'

/**
 * The changes of a given plan, with the fields that they change in the current objects. Refused when an object
 * has changed since the plan was made, or when the plan does not show all that it would record.
 */
export const checkPlan = async (
  runtime: Runtime,
  call: AdmittedCall,
  plan: Plan,
): Promise<Result<readonly PendingChange[], PlanOutdated | InvalidArgument>> => {
  const { changes } = plan
  const streamIn = ({ object }: PlannedChange) => streamOf(call.orgId, object)
  const misgranted = invalidGrant(changes, call.orgId)
  if (misgranted) return err(misgranted)
  const objects = [...changes.map(({ object }) => object), ...grantedRoles(changes)]
  const rows = await currentObjects(runtime, call, objects)
  const marks = await marksOn(runtime, plan, contentsToAdd(changes).map(streamIn))
  const plannedOn = changes.map((change): PlannedOn => {
    const { object, sequence } = change
    const actual = rows.get(streamIn(change))?.details.sequence
    if (sequence !== undefined) return { object, expected: BigInt(sequence), actual }
    const found = marks.get(streamIn(change))
    // What a newer version removed is absent too; only its marks differ.
    const isRemovedByNewer = actual === undefined && isSuperseded(plan, found)
    return { object, expected: isRemovedByNewer ? found?.lastEvent : undefined, actual }
  })
  const outdated =
    outdatedBy(plannedOn) ??
    outdatedByRoles(changes, (role) => rows.has(streamOf(call.orgId, role))) ??
    outdatedByEndedRoles(changes, (change) => ({ ...rows.get(streamIn(change)) })) ??
    (await outdatedByBlocked(runtime, call, changes))
  if (outdated) return err(outdated)

  const leftOf = afterRemovals(changes)
  const pending: PendingChange[] = []
  for (const [index, change] of changes.entries()) {
    const { details, ...values } = rows.get(streamIn(change)) ?? {}
    const isNoOp = hasNoOpEvent(change, leftOf(change.object, values))
    if (isNoOp) return err(invalid(`changes[${index}].events`, 'must change something'))
    const fields = recordedFields(change, values)
    if (!showsAll(change, fields))
      return err(invalid(`changes[${index}].fields`, 'must name all that the events change'))
    const lastEvent = marks.get(streamIn(change))?.lastEvent
    pending.push({ change: { ...change, fields }, details, lastEvent })
  }
  return ok(pending)
}

/** Whether a plan names all `fields` that its events change. */
const showsAll = (change: PlannedChange, fields: readonly PlannedField[]): boolean => {
  const shown = new Set(shownFields(change).map(({ field }) => field))
  return fields.every(({ field }) => shown.has(field))
}

/** The added roles and grants of projects that exist. */
const contentsToAdd = (changes: readonly PlannedChange[]): readonly PlannedChange[] => {
  const added = changes.filter(({ action }) => action === 'add')
  const newProjects = new Set(
    added.flatMap(({ object }) => (object.type === 'project' ? object.id : [])),
  )
  return added.filter(({ object }) => 'projectId' in object && !newProjects.has(object.projectId))
}

/** Refuses blocked objects that were never removed, which only a plan of another store can have. */
const outdatedByBlocked = async (
  { store }: Runtime,
  { orgId }: AdmittedCall,
  changes: readonly PlannedChange[],
): Promise<PlanOutdated | undefined> => {
  const moved: Moved[] = []
  for (const { action, object } of changes) {
    const { container, effectOf } = aggregates[object.type]
    if (action !== 'blocked' || container) continue
    const events = await fromPort(() => store.readStream(streamOf(orgId, object)))
    const last = events.at(-1)
    if (!last || effectOf(last) !== 'removes') moved.push({ object, change: 'changed' })
  }
  return moved.length > 0 ? { kind: 'PlanOutdated', moved } : undefined
}
