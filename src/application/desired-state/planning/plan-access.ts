import { err, ok, type Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { IdpId, type ObjectRef, ProjectId } from '../../../domain/values.js'
import { streamOf } from '../../../projections/read-events.js'
import type { WriteError } from '../../errors/errors.js'
import { fromPort } from '../../errors/fault.js'
import type { AdmittedCall } from '../../method/context.js'
import { isPermitted } from '../../method/method.js'
import { allObjects } from '../../reading/reads.js'
import type { Runtime } from '../../runtime.js'
import { pause, raceAbort, retryDeadline } from '../../waiting.js'
import type { ParsedAccess } from '../declared/desired-access.js'
import { countsOf, type Plan, type PlannedChange } from '../plan/plan.js'
import type { PendingChange } from './pending-change.js'
import { liftIdentityProvider, planIdentityProvider } from './plan-identity-provider.js'
import { withImpact } from './plan-impact.js'
import { liftProject, planProject } from './plan-project.js'
import { type Planning, sealAccess } from './sealed-secrets.js'

/** Plans a desired state. */
export const planDesired = async (
  runtime: Runtime,
  call: AdmittedCall,
  access: ParsedAccess,
): Promise<Result<Plan, WriteError>> => {
  const planning = await sealAccess(runtime, call, access)
  const planned = await planWithImpact(planning)
  if (planned.isErr()) return err(planned.error)
  const changes = planned.value
  const undeclared = await findUndeclared(planning, changes)
  return ok({ ...planOf(planning, changes, undeclared), desired: planning.access })
}

/** All changes with their impacts. Plans again when a project changes before its impact is counted. */
const planWithImpact = async (
  planning: Planning,
): Promise<Result<readonly PlannedChange[], WriteError>> => {
  const { store, environment } = planning.runtime
  const isTooLate = retryDeadline(environment)
  for (let attempts = 1; ; attempts++) {
    const from = await fromPort(() => store.lastPosition())
    const planned = await planAll(planning, await unitsOf(planning))
    if (planned.isErr()) return err(planned.error)
    const pending = planned.value.flatMap((unit) => unit.changes)
    const changes = await withImpact(planning, pending, from)
    if (changes) return ok(changes)
    if (isTooLate()) return err({ kind: 'Aborted', attempts })
    await pause(environment, attempts, planning.call.signal)
  }
}

/** The plan of a desired state, or its result, without the desired state. */
export const planOf = <Change extends PlannedChange>(
  { call: { orgId }, access: { managedBy, version, protect } }: Planning,
  changes: readonly Change[],
  undeclared: readonly ObjectRef[],
) => ({
  orgId,
  ...(managedBy !== undefined && { managedBy }),
  ...(version !== undefined && { version }),
  ...(protect === true && { protect }),
  changes,
  counts: countsOf(changes),
  undeclared,
})

/** A project with its roles and grants, or an identity provider: its changes are recorded together. */
export interface PlanUnit {
  readonly object: ObjectRef
  readonly plan: () => Promise<Result<readonly PendingChange[], WriteError>>
}

/** A unit with its changes. */
export interface PlannedUnit {
  readonly unit: PlanUnit
  readonly changes: readonly PendingChange[]
}

/** The units of a desired state in order, projects first; then the units whose protection it ends. */
export const unitsOf = async (planning: Planning): Promise<readonly PlanUnit[]> => {
  const { projects = [], identityProviders = [] } = planning.access
  return [
    ...projects.map((desired, index) => ({
      object: aggregates.project.ref(desired),
      plan: () => planProject(planning, desired, index),
    })),
    ...identityProviders.map((desired, index) => ({
      object: aggregates.identity_provider.ref(desired),
      plan: () => planIdentityProvider(planning, desired, index),
    })),
    ...(await unitsToLift(planning)),
  ]
}

/** The objects that this desired state protects and no longer declares, of the types that it lists. */
const unitsToLift = async (planning: Planning): Promise<readonly PlanUnit[]> => {
  const { runtime, call, access } = planning
  const { managedBy, projects, identityProviders } = access
  if (managedBy === undefined) return []
  const units: PlanUnit[] = []
  const { orgId } = call
  if (projects) {
    const declared = new Set<string>(projects.map(({ id }) => id))
    for await (const row of allObjects(runtime, call, { type: 'project', orgId }))
      if (row.protectedBy === managedBy && !declared.has(row.id))
        units.push({
          object: aggregates.project.ref(row),
          plan: () => liftProject(planning, ProjectId.parse(row.id)),
        })
  }
  if (identityProviders) {
    const declared = new Set<string>(identityProviders.map(({ idpId }) => idpId))
    for await (const row of allObjects(runtime, call, { type: 'identity_provider', orgId }))
      if (row.protectedBy === managedBy && !declared.has(row.idpId))
        units.push({
          object: aggregates.identity_provider.ref(row),
          plan: () => liftIdentityProvider(planning, IdpId.parse(row.idpId)),
        })
  }
  return units
}

/** Plans `units` on everything that was recorded before the call. The first refusal of a unit ends it. */
export const planAll = async (
  { runtime, call }: Planning,
  units: readonly PlanUnit[],
): Promise<Result<readonly PlannedUnit[], WriteError>> => {
  const planned: PlannedUnit[] = []
  for (const unit of units) {
    if (call.signal?.aborted) return err({ kind: 'Cancelled' })
    const changes = await raceAbort(unit.plan(), call.signal)
    await runtime.environment.yield()
    if (changes.isErr()) return err(changes.error)
    planned.push({ unit, changes: changes.value })
  }
  return ok(planned)
}

/**
 * The objects without a change, of the types that the desired state lists, even with an empty list. A type that the caller
 * may not read in full is left out.
 */
export const findUndeclared = async (
  { runtime, call, access }: Planning,
  changes: readonly PlannedChange[],
): Promise<readonly ObjectRef[]> => {
  const { orgId } = call
  const declared = new Set(changes.map(({ object }) => streamOf(orgId, object)))
  const undeclared: ObjectRef[] = []
  for (const [type, list] of [
    ['project', access.projects],
    ['identity_provider', access.identityProviders],
  ] as const) {
    const { permissions, ref } = aggregates[type]
    if (!list) continue
    if ((await isPermitted(runtime, call, { permission: permissions.read })) !== true) continue
    for await (const row of allObjects(runtime, call, { type, orgId })) {
      const object = ref(row)
      if (!declared.has(streamOf(orgId, object))) undeclared.push(object)
    }
  }
  return undeclared
}
