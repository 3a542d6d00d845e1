import { err, ok, type Result } from 'neverthrow'
import type { ObjectRef } from '../../../domain/values.js'
import type { Permission } from '../../../ports/authorize.js'
import type { IamError } from '../../errors/errors.js'
import type { AdmittedCall } from '../../method/context.js'
import { isPermitted, type Read, read } from '../../method/method.js'
import { allObjects } from '../../reading/all-objects.js'
import type { Runtime } from '../../runtime.js'
import { raceAbort } from '../../waiting/race-abort.js'
import { yieldToEventLoop } from '../../waiting/yield-to-event-loop.js'
import type { Manager } from '../declared/access-version.js'
import { DesiredAccess, type ParsedAccess } from '../declared/desired-access.js'
import { permissionsForPlan } from '../permissions-for-plan.js'
import { countsOf, type Plan } from '../plan/plan.js'
import type { PlannedChange } from '../plan/planned-change.js'
import type { Draft } from './draft.js'
import { planIdentityProvider } from './plan-identity-provider.js'
import { planProject } from './plan-project.js'

/** What is planned, and applied, at once: a project with its roles, or an identity provider. */
export type Unit = () => Promise<Result<readonly Draft[], IamError>>

/** What makes the organization as desired; records nothing. */
export const planAccess = (runtime: Runtime): Read<DesiredAccess, Plan> =>
  read(
    runtime,
    { method: 'plan', permissions: [], permissionsFor: permissionsForPlan, schema: DesiredAccess },
    async (call, access) => {
      const units = await planUnits(runtime, call, unitsOf(runtime, call, access))
      if (units.isErr()) return err(units.error)
      const changes = units.value.flat().map(({ change }) => change)
      const undeclared = await undeclaredIn(runtime, call, access)
      return ok(planOf(call, access, { changes, undeclared }))
    },
  )

/** What a plan for `access` tells, beside what becomes of each object. */
export const planOf = <Change extends PlannedChange>(
  { orgId }: AdmittedCall,
  { managedBy, version }: Manager,
  { changes, undeclared }: Found<Change>,
): Plan & Found<Change> => ({
  orgId,
  ...(managedBy !== undefined && { managedBy }),
  ...(version !== undefined && { version }),
  changes,
  counts: countsOf(changes),
  undeclared,
})

interface Found<Change extends PlannedChange> extends Pick<Plan, 'undeclared'> {
  readonly changes: readonly Change[]
}

/** The units of a desired state, in its order, projects first. */
export const unitsOf = (
  runtime: Runtime,
  call: AdmittedCall,
  access: ParsedAccess,
): readonly Unit[] => {
  const { projects = [], identityProviders = [], prune = false } = access
  return [
    ...projects.map(
      (desired) => () => planProject(runtime, call, { desired, prune, manager: access }),
    ),
    ...identityProviders.map(
      (desired, index) => () =>
        planIdentityProvider(runtime, call, { desired, index, manager: access }),
    ),
  ]
}

/** Plans `units` on all that was recorded before; refused when one of them is. */
export const planUnits = async (
  runtime: Runtime,
  call: AdmittedCall,
  units: readonly Unit[],
): Promise<Result<readonly (readonly Draft[])[], IamError>> => {
  // What a plan is conditional on must not be out of date from the start.
  await raceAbort(runtime.follow({ ...call, consistency: 'strong' }), call.signal)
  const planned: (readonly Draft[])[] = []
  for (const unit of units) {
    if (call.signal?.aborted) return err({ kind: 'Cancelled' })
    const drafts = await raceAbort(unit(), call.signal)
    await yieldToEventLoop()
    if (drafts.isErr()) return err(drafts.error)
    planned.push(drafts.value)
  }
  return ok(planned)
}

/** The projects and identity providers of a desired state, by their ids; absent without a list of them. */
export interface DeclaredIds {
  readonly projects?: readonly { readonly id: string }[] | undefined
  readonly identityProviders?: readonly { readonly idpId: string }[] | undefined
}

/** What there is but is not declared, of the types that are; as far as the caller may read all. */
export const undeclaredIn = async (
  runtime: Runtime,
  call: AdmittedCall,
  { projects, identityProviders }: DeclaredIds,
): Promise<readonly ObjectRef[]> => {
  const { orgId } = call
  const mayRead = async (permission: Permission) =>
    (await isPermitted(runtime, call, { permission })) === true
  const undeclared: ObjectRef[] = []
  if (projects && (await mayRead('project.read'))) {
    const declared = new Set<string>(projects.map(({ id }) => id))
    for await (const { id } of allObjects(runtime, { type: 'project', orgId }))
      if (!declared.has(id)) undeclared.push({ type: 'project', id })
  }
  if (identityProviders && (await mayRead('identity_provider.read'))) {
    const declared = new Set<string>(identityProviders.map(({ idpId }) => idpId))
    for await (const { idpId } of allObjects(runtime, { type: 'identity_provider', orgId }))
      if (!declared.has(idpId)) undeclared.push({ type: 'identity_provider', idpId })
  }
  return undeclared
}
