import { err, ok, type Result } from 'neverthrow'
import { aggregates } from '../../../domain/aggregates.js'
import { decideAll, exists } from '../../../domain/decider.js'
import {
  identityProvider,
  identityProviders,
  isSecretFor,
} from '../../../domain/identity-provider/aggregate.js'
import {
  AddOidcIdentityProvider,
  type IdentityProviderCommand,
} from '../../../domain/identity-provider/command-schemas.js'
import { roleMappings } from '../../../domain/role-mapping/aggregate.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { Position } from '../../../ports/event-store.js'
import { aggregateOf, isOfObject, streamOf } from '../../../projections/read-events.js'
import type { InvalidArgument, WriteError } from '../../errors/errors.js'
import { fromPort } from '../../errors/fault.js'
import { logPages } from '../../following/log-pages.js'
import type { AdmittedCall } from '../../method/context.js'
import { isPermitted } from '../../method/method.js'
import { allObjects } from '../../reading/reads.js'
import type { Runtime } from '../../runtime.js'
import { inBatches, pause, raceAbort, retryDeadline } from '../../waiting.js'
import { impactOfMapping, mayReadHolders, NO_IMPACT, readAffected } from '../../writing/dry-run.js'
import { rangeOf } from '../../writing/role-range.js'
import type {
  DesiredIdentityProvider,
  ParsedAccess,
  ParsedProvider,
} from '../declared/desired-access.js'
import { countsOf, type Plan, type PlannedChange, type PlannedField } from '../plan/plan.js'
import {
  blocked,
  changeBy,
  currentState,
  isSuperseded,
  type PendingChange,
  plannedEvents,
  protectDeclared,
  superseded,
} from './pending-change.js'
import { liftObject } from './plan-contents.js'
import { planProject } from './plan-project.js'
import { type Planning, sealAccess, secretOf } from './sealed-secrets.js'

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
  const declared: readonly PlanUnit[] = [
    ...projects.map((desired, index) => ({
      object: aggregates.project.ref(desired),
      plan: () => planProject(planning, desired, index),
    })),
    ...identityProviders.map((desired, index) => ({
      object: aggregates.identity_provider.ref(desired),
      plan: () => planIdentityProvider(planning, desired, index),
    })),
  ]
  return [...declared, ...(await unitsToLift(planning, declared))]
}

/** The objects besides `declared` that this desired state protects, of the types that it lists. */
const unitsToLift = async (
  planning: Planning,
  declared: readonly PlanUnit[],
): Promise<readonly PlanUnit[]> => {
  const { runtime, call, access } = planning
  const { managedBy } = access
  if (managedBy === undefined) return []
  const { orgId } = call
  const streams = new Set(declared.map(({ object }) => streamOf(orgId, object)))
  const units: PlanUnit[] = []
  for (const type of listedTypes(planning))
    for await (const row of allObjects(runtime, call, { type, orgId })) {
      const object = aggregates[type].ref(row)
      if (row.protectedBy === managedBy && !streams.has(streamOf(orgId, object)))
        units.push({ object, plan: () => liftObject(planning, object) })
    }
  return units
}

/** The types of objects that the desired state lists, even with an empty list. */
const listedTypes = ({ access: { projects, identityProviders } }: Planning) => [
  ...(projects ? ['project' as const] : []),
  ...(identityProviders ? ['identity_provider' as const] : []),
]

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
 * The objects without a change, of the types that the desired state lists. A type that the caller may not read in full is
 * left out.
 */
export const findUndeclared = async (
  planning: Planning,
  changes: readonly PlannedChange[],
): Promise<readonly ObjectRef[]> => {
  const { runtime, call } = planning
  const { orgId } = call
  const declared = new Set(changes.map(({ object }) => streamOf(orgId, object)))
  const undeclared: ObjectRef[] = []
  for (const type of listedTypes(planning)) {
    const { permissions, ref } = aggregates[type]
    if ((await isPermitted(runtime, call, { permission: permissions.read })) !== true) continue
    for await (const row of allObjects(runtime, call, { type, orgId })) {
      const object = ref(row)
      if (!declared.has(streamOf(orgId, object))) undeclared.push(object)
    }
  }
  return undeclared
}

/**
 * `changes`, planned after position `from`, with the roles that users lose and gain by each; a role that an earlier change ends is
 * not counted again. Undefined if one of their projects has changed meanwhile: then they must be planned again, since
 * the impact would be that of another state.
 */
const withImpact = async (
  planning: Planning,
  changes: readonly PendingChange[],
  from: Position,
): Promise<readonly PlannedChange[] | undefined> => {
  const { runtime, call } = planning
  const counted = await projectsToCount(planning, changes)
  if (counted.size === 0) return changes.map(({ change }) => change)
  const at = await fromPort(() => runtime.store.lastPosition())
  const moved = await projectsChanged(planning, from, at)
  if ([...counted].some((projectId) => moved.has(projectId))) return undefined

  const impactOf = async ({ change, ends, mapping }: PendingChange): Promise<PlannedChange> => {
    const range = rangeIn(planning, change.object)
    if (!ends || !range || !counted.has(range.projectId)) return change
    const { source } = range
    if (mapping && source) {
      const { type: _, ...ids } = change.object
      const key = roleMappings.ids.parse(ids)
      const { created: since } = await runtime.states.readLatest(roleMappings, call.orgId, key)
      const given = { ...range, ...mapping, source, since, at }
      return { ...change, impact: await impactOfMapping(runtime, call, given) }
    }
    if (ends.length === 0) return { ...change, impact: NO_IMPACT }
    const loses = await readAffected(runtime, call, { ...range, roleKeys: ends, at })
    return { ...change, impact: { ...NO_IMPACT, loses } }
  }
  return inBatches(runtime.environment, changes, impactOf)
}

const rangeIn = ({ call: { orgId } }: Planning, object: ObjectRef) => rangeOf(object, orgId)

/** The projects in which users can lose roles, if the caller may see who has them. */
const projectsToCount = async (
  planning: Planning,
  changes: readonly PendingChange[],
): Promise<ReadonlySet<string>> => {
  const ranges = new Map(
    changes.flatMap(({ change, ends }) => {
      const range = ends && rangeIn(planning, change.object)
      return range ? [[range.projectId, range] as const] : []
    }),
  )
  const counted = new Set<string>()
  for (const [projectId, range] of ranges)
    if (await mayReadHolders(planning.runtime, planning.call, range)) counted.add(projectId)
  return counted
}

/** Projects of the organization that events between `from` and `to` changed, or whose roles or grants they changed. */
const projectsChanged = async (
  { runtime: { store, environment }, call: { orgId, signal } }: Planning,
  from: Position,
  to: Position,
): Promise<ReadonlySet<string>> => {
  const changed = new Set<string>()
  if (from === to) return changed
  for await (const { events, position } of logPages(store, from, { signal, environment })) {
    for (const event of events) {
      if (!isOfObject(event) || event.metadata.resourceOwner !== orgId) continue
      const range = rangeOf(aggregateOf(event.type).ref(event.data), orgId)
      if (range && range.userId === undefined) changed.add(range.projectId)
    }
    if (position >= to) break
  }
  return changed
}

/**
 * The change of the identity provider at `index`. Refused: a new provider without name, or active without secret; a change
 * of the OIDC configuration without an issuer.
 */
const planIdentityProvider = async (
  planning: Planning,
  desired: ParsedProvider,
  index: number,
): Promise<Result<readonly PendingChange[], WriteError>> => {
  const { runtime, call, secrets } = planning
  const { sealedSecret: _, initialState, ...fields } = desired
  const { idpId, issuer } = fields
  const object = { type: 'identity_provider', idpId } as const
  const before = await runtime.states.readLatest(identityProviders, call.orgId, { idpId })
  const { state } = before
  if (state.status === 'removed') return ok([blocked(object)])
  const current = currentState(planning, object, before)
  if (await isSuperseded(planning, before.name)) return ok([superseded(current)])

  if (exists(state)) {
    const secret = await secretOf(planning, desired, state.clientSecret)
    // A secret that is declared with another issuer belongs to that issuer.
    const isKept = secret?.isStored && isSecretFor(issuer, state)
    const data = { ...fields, clientSecret: isKept ? undefined : secret?.sealed }
    const shown = secret && secretField(isKept ? 'unchanged' : 'changed')
    return identityProvider
      .decide({ type: 'PatchIdentityProvider', data }, state)
      .andThen((events) =>
        issuer === '' && events.some(({ type }) => type === 'identity_provider.oidc_config_updated')
          ? err(invalidFields(index, ['issuer'], 'must not be empty'))
          : protectDeclared(planning, changeBy(plannedEvents(events), current, shown), current),
      )
      .map((planned) => [planned])
  }

  const given = { name: fields.name, clientSecret: secrets.get(idpId)?.sealed }
  const missing = (['name', 'clientSecret'] as const).filter((field) => given[field] === undefined)
  if (missing.length > 0)
    return err(invalidFields(index, missing, 'is required to add the provider'))
  const data = AddOidcIdentityProvider.shape.data.parse({ ...fields, ...given })
  const isInactive = initialState === 'inactive'
  const commands: IdentityProviderCommand[] = [
    { type: 'AddOidcIdentityProvider', data },
    ...(isInactive ? [{ type: 'DeactivateIdentityProvider', data: { idpId } } as const] : []),
  ]
  const shown = isInactive ? [{ field: 'state', to: 'inactive' }] : []
  return decideAll(identityProvider, commands, before)
    .andThen((events) => {
      const planned = changeBy(plannedEvents(events), current, [...shown, ...secretField('set')])
      return protectDeclared(planning, planned, current)
    })
    .map((planned) => [planned])
}

const secretField = (secret: 'set' | 'changed' | 'unchanged'): readonly PlannedField[] => [
  { field: 'clientSecret', secret },
]

const invalidFields = (
  index: number,
  fields: readonly (keyof DesiredIdentityProvider)[],
  description: string,
): InvalidArgument => ({
  kind: 'InvalidArgument',
  violations: fields.map((field) => ({
    field: `identityProviders[${index}].${field}`,
    description,
  })),
})
