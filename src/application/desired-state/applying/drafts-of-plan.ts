import { err, ok, type Result } from 'neverthrow'
import { kinds } from '../../../domain/kinds.js'
import type { Views, ViewType } from '../../../ports/read-model.js'
import { streamOf } from '../../../projections/events/kind-of.js'
import {
  type InvalidArgument,
  invalid,
  type Moved,
  type PlanOutdated,
} from '../../errors/errors.js'
import { fromPort } from '../../errors/fault.js'
import type { AdmittedCall } from '../../method/context.js'
import type { Runtime } from '../../runtime.js'
import type { Manager } from '../declared/access-version.js'
import type { Plan } from '../plan/plan.js'
import type { PlannedChange } from '../plan/planned-change.js'
import { hasIdleEvent, leavesOut, recordedFields, shownFields } from '../plan/recorded-fields.js'
import type { Draft } from '../planning/draft.js'
import { isSuperseded, type Marks, marksOn } from '../planning/marks.js'
import { seenNow } from '../planning/seen-now.js'
import { movedSince, type Seen } from './moved-since.js'

/** A change as a plan has it, beside its object as it is now and what desired states left on that. */
interface Found {
  readonly change: PlannedChange
  /** Absent when there is no such object. */
  readonly row?: Views[ViewType] | undefined
  /** Only looked at of a role that is to be added. */
  readonly marks?: Marks | undefined
}

/**
 * The changes of a plan beside what there is now, with the fields that their events change of that.
 * Refused when the plan saw other than there is, or shows other than it would record.
 */
export const draftsOf = async (
  runtime: Runtime,
  call: AdmittedCall,
  plan: Plan,
): Promise<Result<readonly Draft[], PlanOutdated | InvalidArgument>> => {
  const found = await find(runtime, call, plan)
  const outdated =
    movedSince(found.map((each) => seenOf(plan, each))) ??
    (await noLongerBlocked(runtime, call, plan.changes))
  if (outdated) return err(outdated)
  for (const [index, each] of found.entries()) {
    const objection = objectionTo(each, `changes[${index}]`)
    if (objection) return err(objection)
  }
  return ok(found.map(draftOf))
}

const draftOf = ({ change, row, marks }: Found): Draft => ({
  change: { ...change, fields: recordedFields(change, row) },
  details: row?.details,
  ended: marks?.last,
})

const objectionTo = ({ change, row }: Found, path: string): InvalidArgument | undefined => {
  if (hasIdleEvent(change, row)) return invalid(`${path}.events`, 'must change something')
  return leavesOut(shownFields(change), recordedFields(change, row))
    ? invalid(`${path}.fields`, 'must name all that the events change')
    : undefined
}

const find = async (
  runtime: Runtime,
  call: AdmittedCall,
  plan: Plan,
): Promise<readonly Found[]> => {
  const { changes } = plan
  const streamIn = ({ object }: Pick<PlannedChange, 'object'>) => streamOf(call.orgId, object)
  const objects = changes.map(({ object }) => object)
  const seen = await seenNow(runtime, call, objects)
  const marks = await marksOn(runtime, plan, rolesToAdd(changes).map(streamIn))
  return changes.map((change) => {
    const stream = streamIn(change)
    return { change, row: seen.get(stream), marks: marks.get(stream) }
  })
}

/** A role that a newer version removed is as absent as one that never was: only its marks tell. */
const rolesToAdd = (changes: readonly PlannedChange[]): readonly PlannedChange[] => {
  const newProjects = new Set(
    changes.flatMap(({ action, object }) =>
      action === 'add' && object.type === 'project' ? [object.id] : [],
    ),
  )
  return changes.filter(
    ({ action, object }) =>
      action === 'add' && object.type === 'project_role' && !newProjects.has(object.projectId),
  )
}

const seenOf = (manager: Manager, { change, row, marks }: Found): Seen => {
  const { object, sequence } = change
  const actual = row?.details.sequence
  const ofNewer = actual === undefined && isSuperseded(manager, marks) ? marks?.last : undefined
  return { object, expected: sequence === undefined ? ofNewer : BigInt(sequence), actual }
}

/** An id that was taken stays so; this is for plans of another store. */
const noLongerBlocked = async (
  { store }: Runtime,
  { orgId }: AdmittedCall,
  changes: readonly PlannedChange[],
): Promise<PlanOutdated | undefined> => {
  const moved: Moved[] = []
  for (const { action, object } of changes) {
    const { container, removal } = kinds[object.type]
    if (action !== 'blocked' || container) continue
    const events = await fromPort(() => store.readStream(streamOf(orgId, object)))
    if (events.at(-1)?.type !== removal) moved.push({ object, change: 'changed' })
  }
  return moved.length > 0 ? { kind: 'PlanOutdated', moved } : undefined
}
