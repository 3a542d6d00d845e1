import { err, type Result } from 'neverthrow'
import type { IamError } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import { method, type Read } from '../../method/method.js'
import type { Runtime } from '../../runtime.js'
import { pause, retryDeadline } from '../../waiting/pause.js'
import { raceAbort } from '../../waiting/race-abort.js'
import { DesiredAccess } from '../declared/desired-access.js'
import { permissionsForApply, REFUSED_BY_APPLY } from '../permissions-for-plan.js'
import { isPlan, type Plan } from '../plan/plan.js'
import { planOf, planUnits, type Unit, undeclaredIn, unitsOf } from '../planning/plan-access.js'
import type { Applied, AppliedChange } from './applied.js'
import { applyDrafts, applyEach, type ToApply } from './apply-drafts.js'
import { applyPlan } from './apply-plan.js'

/** Makes the organization as planned, or as desired. */
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
      permissionsFor: permissionsForApply,
      schema: DesiredAccess,
      refuses: REFUSED_BY_APPLY,
    },
    async (call, access) => {
      const units = unitsOf(runtime, call, access)
      // All is read and planned before the first is applied: what can fail does so before that.
      const planned = await planUnits(runtime, call, units)
      if (planned.isErr()) return err(planned.error)
      const finding = undeclaredIn(runtime, call, access)
      const undeclared = await raceAbort(finding, call.signal)
      const applied = await applyEach(units.entries(), ([index, unit]) =>
        applyUnit(runtime, call, {
          unit,
          drafts: planned.value[index] ?? [],
          manager: access,
        }),
      )
      return applied.map((changes) => planOf(call, access, { changes, undeclared }))
    },
  )

/** Applies what was planned; plans anew when others were faster. */
const applyUnit = async (
  runtime: Runtime,
  call: AdmittedCall,
  { unit, drafts, manager }: ToApply & { readonly unit: Unit },
): Promise<Result<readonly AppliedChange[], IamError>> => {
  let planned = drafts
  const isTooLate = retryDeadline()
  for (let attempts = 1; ; attempts++) {
    const applied = await applyDrafts(runtime, call, { drafts: planned, manager })
    if (applied.isOk() || applied.error.kind !== 'PlanOutdated') return applied
    if (isTooLate()) return err({ kind: 'Aborted', attempts })
    await pause(attempts, call.signal)
    const again = await planUnits(runtime, call, [unit])
    if (again.isErr()) return err(again.error)
    planned = again.value.flat()
  }
}
