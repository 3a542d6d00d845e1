import { err, ok, type Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import type { ObjectRef } from '../../../domain/values.js'
import { streamOf } from '../../../projections/read-events.js'
import type { IamError } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import { isPermitted, type Read, read } from '../../method/method.js'
import { allObjects } from '../../reading/reads.js'
import type { Marks } from '../../recording/metadata.js'
import type { Runtime } from '../../runtime.js'
import { raceAbort, yieldToEventLoop } from '../../waiting.js'
import { DesiredAccess, type ParsedAccess } from '../declared/desired-access.js'
import { permissionsToPlan } from '../permissions-for-plan.js'
import { countsOf, type Plan } from '../plan/plan.js'
import type { PlannedChange } from '../plan/planned-change.js'
import type { PendingChange } from './pending-change.js'
import { planIdentityProvider } from './plan-identity-provider.js'
import { planProject } from './plan-project.js'

/** Plans a project with its roles and grants, or an identity provider: changes that are recorded together. */
export type PlanUnit = () => Promise<Result<readonly PendingChange[], IamError>>

/** The method that plans a desired state. It records nothing. */
export const planAccess = (runtime: Runtime): Read<DesiredAccess, Plan> =>
  read(
    runtime,
    { method: 'plan', permissions: [], permissionsFor: permissionsToPlan, schema: DesiredAccess },
    async (call, access) => {
      const planned = await planAll(runtime, call, unitsOf(runtime, call, access))
      if (planned.isErr()) return err(planned.error)
      const changes = planned.value.flat().map(({ change }) => change)
      const types = listedTypes(access)
      const undeclared = await findUndeclared(runtime, call, { types, changes })
      return ok(planOf(call, access, { changes, undeclared }))
    },
  )

interface Contents<Change extends PlannedChange> extends Pick<Plan, 'undeclared'> {
  readonly changes: readonly Change[]
}

/** The plan of a desired state, or its result, with these contents. */
export const planOf = <Change extends PlannedChange>(
  { orgId }: AdmittedCall,
  { managedBy, version }: Marks,
  { changes, undeclared }: Contents<Change>,
): Plan & Contents<Change> => ({
  orgId,
  ...(managedBy !== undefined && { managedBy }),
  ...(version !== undefined && { version }),
  changes,
  counts: countsOf(changes),
  undeclared,
})

/** The units of a desired state in its order, projects first. */
export const unitsOf = (
  runtime: Runtime,
  call: AdmittedCall,
  access: ParsedAccess,
): readonly PlanUnit[] => {
  const { projects = [], identityProviders = [], prune = false } = access
  return [
    ...projects.map(
      (desired, index) => () =>
        planProject(runtime, call, { desired, index, prune, marks: access }),
    ),
    ...identityProviders.map(
      (desired, index) => () =>
        planIdentityProvider(runtime, call, { desired, index, marks: access }),
    ),
  ]
}

/** Plans `units` on everything that was recorded before the call. The first refusal of a unit ends it. */
export const planAll = async (
  runtime: Runtime,
  call: AdmittedCall,
  units: readonly PlanUnit[],
): Promise<Result<readonly (readonly PendingChange[])[], IamError>> => {
  await raceAbort(runtime.follow({ ...call, consistency: 'strong' }), call.signal)
  const planned: (readonly PendingChange[])[] = []
  for (const unit of units) {
    if (call.signal?.aborted) return err({ kind: 'Cancelled' })
    const changes = await raceAbort(unit(), call.signal)
    await yieldToEventLoop()
    if (changes.isErr()) return err(changes.error)
    planned.push(changes.value)
  }
  return ok(planned)
}

/** The types of objects that a desired state can list. */
export const LISTED_TYPES = ['project', 'identity_provider'] as const
type ListedType = (typeof LISTED_TYPES)[number]

/** The types that `access` lists, even with an empty list. */
export const listedTypes = ({ projects, identityProviders }: ParsedAccess): readonly ListedType[] =>
  LISTED_TYPES.filter((type) => (type === 'project' ? projects : identityProviders) !== undefined)

/** The objects of `types` without a change. Types that the caller may not read in full are left out. */
export const findUndeclared = async (
  runtime: Runtime,
  call: AdmittedCall,
  {
    types,
    changes,
  }: { readonly types: readonly ListedType[]; readonly changes: readonly PlannedChange[] },
): Promise<readonly ObjectRef[]> => {
  const { orgId } = call
  const declared = new Set(changes.map(({ object }) => streamOf(orgId, object)))
  const undeclared: ObjectRef[] = []
  for (const type of types) {
    const kind = aggregates[type]
    if ((await isPermitted(runtime, call, { permission: kind.permissions.read })) !== true) continue
    for await (const row of allObjects(runtime, { type, orgId })) {
      const object = kind.ref(row)
      if (!declared.has(streamOf(orgId, object))) undeclared.push(object)
    }
  }
  return undeclared
}
