import { err, ok, type Result } from 'neverthrow'
import type { ObjectDetails } from '../../../ports/read-model.js'
import { type IamError, invalid } from '../../errors/errors.js'
import type { AdmittedCall, Refused } from '../../method/context.js'
import { method, type Read } from '../../method/method.js'
import type { Marks } from '../../recording/metadata.js'
import type { Runtime } from '../../runtime.js'
import { pause, raceAbort, retryDeadline } from '../../waiting.js'
import { DesiredAccess } from '../declared/desired-access.js'
import { permissionsToApply, permissionsToApplyPlan } from '../permissions-for-plan.js'
import { isPlan, type ParsedPlan, Plan, type PlanInput, type PlannedChange } from '../plan/plan.js'
import {
  findUndeclared,
  type PlannedUnit,
  planAll,
  planOf,
  unitsOf,
} from '../planning/plan-access.js'
import { type AccessToPlan, openAccess, sealAccess } from '../planning/sealed-secrets.js'
import { applyChanges } from './apply-changes.js'
import { asGiven, comparePlan } from './compare-plan.js'

/** The result of `apply`: the {@link Plan} with the details of every object. */
export interface Applied extends Omit<Plan, 'changes' | 'desired'> {
  /** In the order of the plan. */
  readonly changes: readonly AppliedChange[]
}

/** A change of an applied plan, with the details of its object afterwards. */
export interface AppliedChange extends PlannedChange {
  /**
   * Of a removed object, the details of its removal. Absent when there is no object: when it is `blocked`, and
   * when it is a `superseded` role that a newer version removed.
   */
  readonly details?: ObjectDetails | undefined
}

/** Fields of the context that have no meaning for many objects at once. A dry run of an apply is `iam.plan`. */
const REFUSED: readonly Refused[] = ['expectedSequence', 'idempotencyKey', 'dryRun']

/** The method that applies a plan or a desired state. */
export const applyAccess = (runtime: Runtime): Read<DesiredAccess | PlanInput, Applied> => {
  const common = { method: 'apply', permissions: [], refuses: REFUSED }
  const applyDesired = method(
    runtime,
    { ...common, permissionsFor: permissionsToApply, schema: DesiredAccess },
    async (call, access) => applyState(runtime, call, await sealAccess(runtime, call, access)),
  )
  const applyPlan = method(
    runtime,
    { ...common, permissionsFor: permissionsToApplyPlan, schema: Plan },
    async (call, plan) => {
      if (plan.orgId !== call.orgId)
        return err(invalid('orgId', 'must be the organization of the context'))
      for (const option of ['managedBy', 'version'] as const)
        if (plan[option] !== plan.desired[option])
          return err(invalid(option, 'must be that of the desired state'))
      const opened = await openAccess(runtime, call, plan)
      return opened.isErr() ? err(opened.error) : applyState(runtime, call, opened.value, plan)
    },
  )
  return (input, context) =>
    isPlan(input) ? applyPlan(input, context) : applyDesired(input, context)
}

/**
 * Plans a desired state and records the changes, unit by unit. Those of a given plan must be the same; otherwise nothing
 * is recorded. After a refusal, the units before it stay applied.
 */
const applyState = async (
  runtime: Runtime,
  call: AdmittedCall,
  state: AccessToPlan,
  plan?: ParsedPlan,
): Promise<Result<Applied, IamError>> => {
  const { access } = state
  const units = unitsOf(runtime, call, state)
  // Everything is planned before anything is recorded, so that a refusal comes first.
  const planned = await planAll(
    runtime,
    call,
    plan ? asGiven(runtime, call, { plan, units }) : units,
  )
  if (planned.isErr()) return err(planned.error)
  const all = planned.value.flatMap(({ changes }) => changes.map(({ change }) => change))
  const refusal = plan && comparePlan(plan, all)
  if (refusal) return err(refusal)
  const finding = findUndeclared(runtime, call, { access, changes: all })
  const undeclared = await raceAbort(finding, call.signal)
  const changes: AppliedChange[] = []
  for (const unit of planned.value) {
    const applied = await applyUnit(runtime, call, { ...unit, marks: access, isRetried: !plan })
    if (applied.isErr()) return err(applied.error)
    // There may be more changes than a call takes arguments.
    for (const change of applied.value) changes.push(change)
  }
  return ok(planOf(call, access, { changes, undeclared }))
}

/** Applies the planned changes of a unit. A desired state is planned again when another writer was faster. */
const applyUnit = async (
  runtime: Runtime,
  call: AdmittedCall,
  { unit, changes, marks, isRetried }: PlannedUnit & { marks: Marks; isRetried: boolean },
): Promise<Result<readonly AppliedChange[], IamError>> => {
  let planned = changes
  const isTooLate = retryDeadline()
  for (let attempts = 1; ; attempts++) {
    const applied = await applyChanges(runtime, call, { changes: planned, marks })
    if (applied.isOk() || applied.error.kind !== 'PlanOutdated' || !isRetried) return applied
    if (isTooLate()) return err({ kind: 'Aborted', attempts })
    await pause(attempts, call.signal)
    const again = await planAll(runtime, call, [unit])
    if (again.isErr()) return err(again.error)
    planned = again.value.flatMap((each) => each.changes)
  }
}
