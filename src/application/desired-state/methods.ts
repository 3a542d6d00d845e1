import type { WriteError } from '../errors/errors.js'
import { type BatchWrite, batchWrite, type Read, read } from '../method/method.js'
import type { Runtime } from '../runtime.js'
import { DesiredAccess } from './declared/desired-access.js'
import {
  permissionsToApply,
  permissionsToApplyPlan,
  permissionsToPlan,
} from './permissions-for-plan.js'
import { type Applied, hasManyChanges, isPlan, Plan, type PlanInput } from './plan/plan.js'

// Planning and applying are loaded at their first use, so that other hosts do not load them.
const planning = () => import('./planning/plan-access.js')
const applying = () => import('./applying/apply-access.js')

/** The method that plans a desired state. It records nothing. */
export const planAccess = (runtime: Runtime): Read<DesiredAccess, Plan, WriteError> =>
  read(
    runtime,
    { method: 'plan', permissions: [], permissionsFor: permissionsToPlan, schema: DesiredAccess },
    async (call, access) => (await planning()).planDesired(runtime, call, access),
  )

/** The method that applies a plan or a desired state. */
export const applyAccess = (runtime: Runtime): BatchWrite<DesiredAccess | PlanInput, Applied> => {
  const spec = { method: 'apply', permissions: [] }
  const applyDesired = batchWrite(
    runtime,
    { ...spec, permissionsFor: permissionsToApply, schema: DesiredAccess },
    async (call, access) => (await applying()).applyDesired(runtime, call, access),
  )
  const applyPlan = batchWrite(
    runtime,
    { ...spec, permissionsFor: permissionsToApplyPlan, schema: Plan, isLarge: hasManyChanges },
    async (call, plan) => (await applying()).applyPlan(runtime, call, plan),
  )
  return (input, context) =>
    isPlan(input) ? applyPlan(input, context) : applyDesired(input, context)
}
