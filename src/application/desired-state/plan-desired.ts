import { err, ok, type Result } from 'neverthrow'
import type { Position } from '../../ports/event-store.js'
import type { WriteError } from '../errors/errors.js'
import { fromPort } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import type { Runtime } from '../runtime.js'
import { inBatches } from '../waiting.js'
import { impactOfMapping, mayReadHolders, NO_IMPACT, readAffected } from '../writing/dry-run.js'
import { rangeOf } from '../writing/role-range.js'
import type { Draft } from './deciding/draft.js'
import { decideUnits, findUndeclared, unitsOf } from './deciding/units.js'
import type { ParsedAccess } from './declared/desired-access.js'
import { type Plan, type PlannedChange, planOf } from './plan/plan.js'
import { type Planning, sealAccess } from './sealed-secrets.js'
import { unknownPermissions } from './unknown-permissions.js'

/** Plans a desired state: decides what applying it now would record, and records nothing. */
export const planDesired = async (
  runtime: Runtime,
  call: AdmittedCall,
  access: ParsedAccess,
): Promise<Result<Plan, WriteError>> => {
  const planning = await sealAccess(runtime, call, access)
  const at = await fromPort(() => runtime.store.lastPosition())
  const decided = await decideUnits(planning, await unitsOf(planning), at)
  if (decided.isErr()) return err(decided.error)
  const drafts = decided.value.flatMap((unit) => unit.drafts)
  const changes = await withImpact(planning, drafts, at)
  const undeclared = await findUndeclared(planning, changes)
  const warnings = await unknownPermissions(planning, changes)
  return ok({
    ...planOf(call.orgId, planning.access, { changes, undeclared }),
    ...(warnings.length > 0 && { warnings }),
    desired: planning.access,
  })
}

/**
 * The changes with the roles that users lose and gain by each, at the position of the decisions. A role that an earlier
 * change ends is not counted again.
 */
const withImpact = async (
  planning: Planning,
  drafts: readonly Draft[],
  at: Position,
): Promise<readonly PlannedChange[]> => {
  const { runtime, call } = planning
  const counted = await projectsToCount(planning, drafts)
  const impactOf = async ({ change, before, ends, mapping }: Draft): Promise<PlannedChange> => {
    const range = rangeOf(change.object, call.orgId)
    if (!ends || !range || !before || !counted.has(range.projectId)) return change
    const { source } = range
    if (mapping && source) {
      const mapped = { ...range, ...mapping, source, since: before.created, at }
      return { ...change, impact: await impactOfMapping(runtime, call, mapped) }
    }
    if (ends.length === 0) return { ...change, impact: NO_IMPACT }
    const loses = await readAffected(runtime, call, { ...range, roleKeys: ends, at })
    return { ...change, impact: { ...NO_IMPACT, loses } }
  }
  return inBatches(runtime.environment, drafts, impactOf)
}

/** The projects in which users can lose roles, if the caller may see who has them. */
const projectsToCount = async (
  planning: Planning,
  drafts: readonly Draft[],
): Promise<ReadonlySet<string>> => {
  const ranges = new Map(
    drafts.flatMap(({ change, ends }) => {
      const range = ends && rangeOf(change.object, planning.call.orgId)
      return range ? [[range.projectId, range] as const] : []
    }),
  )
  const counted = new Set<string>()
  for (const [projectId, range] of ranges)
    if (await mayReadHolders(planning.runtime, planning.call, range)) counted.add(projectId)
  return counted
}
