import { err, type Result } from 'neverthrow'
import type { IamError } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import { method, type Read } from '../../method/method.js'
import type { Runtime } from '../../runtime.js'
import { pause, raceAbort, retryDeadline } from '../../waiting.js'
import { DesiredAccess } from '../declared/desired-access.js'
import { permissionsToApply, REFUSED_BY_APPLY } from '../permissions-for-plan.js'
import { isPlan, type Plan } from '../plan/plan.js'
import {
  findUndeclared,
  listedTypes,
  type PlanUnit,
  planAll,
  planOf,
  unitsOf,
} from '../planning/plan-access.js'
import type { Applied, AppliedChange } from './applied.js'
import { applyChanges, applyEach, type MarkedChanges } from './apply-changes.js'
import { applyPlan } from './apply-plan.js'

/** The method that applies a plan or a desired state. */
export const applyAccess = (runtime: Runtime): Read<DesiredAccess | Plan, Applied> => {
  const applyGiven = applyPlan(runtime)
  const applyDesired = applyDesiredAccess(runtime)
  return (input, context) =>
    isPlan(input) ? applyGiven(input, context) : applyDesired(input, context)
}

const applyDesiredAccess = (runtime: Runtime): Read<DesiredAccess, Applied> =>
  method(
    runtime,
    {
      method: 'apply',
      permissions: [],
      permissionsFor: permissionsToApply,
      schema: DesiredAccess,
      refuses: REFUSED_BY_APPLY,
    },
    async (call, access) => {
      const units = unitsOf(runtime, call, access)
      // Everything is planned before anything is recorded, so that a refusal comes first.
      const planned = await planAll(runtime, call, units)
      if (planned.isErr()) return err(planned.error)
      const declared = {
        types: listedTypes(access),
        changes: planned.value.flat().map(({ change }) => change),
      }
      const finding = findUndeclared(runtime, call, declared)
      const undeclared = await raceAbort(finding, call.signal)
      const applied = await applyEach(units.entries(), ([index, unit]) =>
        applyUnit(runtime, call, { unit, changes: planned.value[index] ?? [], marks: access }),
      )
      return applied.map((changes) => planOf(call, access, { changes, undeclared }))
    },
  )

/** Applies the planned changes of a unit. Plans them again when another writer was faster. */
const applyUnit = async (
  runtime: Runtime,
  call: AdmittedCall,
  { unit, changes, marks }: MarkedChanges & { readonly unit: PlanUnit },
): Promise<Result<readonly AppliedChange[], IamError>> => {
  let planned = changes
  const isTooLate = retryDeadline()
  for (let attempts = 1; ; attempts++) {
    const applied = await applyChanges(runtime, call, { changes: planned, marks })
    if (applied.isOk() || applied.error.kind !== 'PlanOutdated') return applied
    if (isTooLate()) return err({ kind: 'Aborted', attempts })
    await pause(attempts, call.signal)
    const again = await planAll(runtime, call, [unit])
    if (again.isErr()) return err(again.error)
    planned = again.value.flat()
  }
}
