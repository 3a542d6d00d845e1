import { err, ok, type Result } from 'neverthrow'
import { invalid, type WriteError } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import type { Runtime } from '../../runtime.js'
import { pause, raceAbort, retryDeadline } from '../../waiting.js'
import type { ParsedAccess } from '../declared/desired-access.js'
import type { Applied, AppliedChange, ParsedPlan } from '../plan/plan.js'
import {
  findUndeclared,
  type PlannedUnit,
  planAll,
  planOf,
  unitsOf,
} from '../planning/plan-access.js'
import { openAccess, type Planning, sealAccess } from '../planning/sealed-secrets.js'
import { applyChanges, permitGrants } from './apply-changes.js'
import { asGiven, comparePlan } from './compare-plan.js'

/** Applies a desired state. */
export const applyDesired = async (
  runtime: Runtime,
  call: AdmittedCall,
  access: ParsedAccess,
): Promise<Result<Applied, WriteError>> => applyUnits(await sealAccess(runtime, call, access))

/** Applies a plan. */
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
 * Plans a desired state and records the changes, unit by unit. The changes of a given plan must be the same; otherwise
 * nothing is recorded. After a refusal, the units before it stay applied.
 */
const applyUnits = async (
  planning: Planning,
  plan?: ParsedPlan,
): Promise<Result<Applied, WriteError>> => {
  const units = await raceAbort(unitsOf(planning), planning.call.signal)
  // Everything is planned before anything is recorded, so that a refusal comes first.
  const planned = await planAll(
    planning,
    plan ? units.map((unit) => asGiven(planning, plan, unit)) : units,
  )
  if (planned.isErr()) return err(planned.error)
  const all = planned.value.flatMap((unit) => unit.changes.map(({ change }) => change))
  const refusal = plan && comparePlan(plan, all)
  if (refusal) return err(refusal)
  for (const { changes } of planned.value) {
    const permitted = await permitGrants(planning, changes)
    if (permitted.isErr()) return err(permitted.error)
  }
  const undeclared = await raceAbort(findUndeclared(planning, all), planning.call.signal)
  const applied = new Map<PlannedUnit, readonly AppliedChange[]>()
  for (const unit of inOrderOfNeed(planned.value)) {
    const recorded = plan
      ? await applyChanges(planning, unit.changes)
      : await applyUnit(planning, unit)
    if (recorded.isErr()) return err(recorded.error)
    applied.set(unit, recorded.value)
  }
  const changes = planned.value.flatMap((unit) => applied.get(unit) ?? [])
  return ok(planOf(planning, changes, undeclared))
}

/** Projects with mappings come last: the providers of the mappings may be new. */
const inOrderOfNeed = (units: readonly PlannedUnit[]): readonly PlannedUnit[] => {
  const needsProviders = ({ changes }: PlannedUnit) =>
    changes.some(({ change }) => change.object.type === 'role_mapping')
  return [...units.filter((unit) => !needsProviders(unit)), ...units.filter(needsProviders)]
}

/** Applies the changes of a unit of a desired state. Plans them again when another writer was faster. */
const applyUnit = async (
  planning: Planning,
  { unit, changes }: PlannedUnit,
): Promise<Result<readonly AppliedChange[], WriteError>> => {
  let planned = changes
  const { environment } = planning.runtime
  const isTooLate = retryDeadline(environment)
  for (let attempts = 1; ; attempts++) {
    const applied = await applyChanges(planning, planned)
    if (applied.isOk() || applied.error.kind !== 'PlanOutdated') return applied
    if (isTooLate()) return err({ kind: 'Aborted', attempts })
    await pause(environment, attempts, planning.call.signal)
    const again = await planAll(planning, [unit])
    if (again.isErr()) return err(again.error)
    planned = again.value.flatMap((each) => each.changes)
    const permitted = await permitGrants(planning, planned)
    if (permitted.isErr()) return err(permitted.error)
  }
}
