import { err, ok, type Result } from 'neverthrow'
import { aggregates } from '../../domain/aggregates.js'
import { PERMISSIONS } from '../../domain/values.js'
import type { Position } from '../../ports/event-store.js'
import { streamOf } from '../../projections/read-events.js'
import { getOrAdd } from '../../projections/rows.js'
import type { WriteError } from '../errors/errors.js'
import type { AdmittedCall } from '../method/context.js'
import { allObjects } from '../reading/query.js'
import type { Runtime } from '../runtime.js'
import { fromPort, inBatches } from '../waiting.js'
import {
  type ChangedMapping,
  impactOfMapping,
  mayReadHolders,
  NO_IMPACT,
  readAffected,
} from '../writing/dry-run.js'
import { rangeOf } from '../writing/role-range.js'
import type { Draft } from './deciding/draft.js'
import { decideUnits, findUndeclared, unitsOf } from './deciding/units.js'
import type { ParsedAccess } from './declared/desired-access.js'
import type { ParsedProject } from './declared/desired-project.js'
import { type Plan, type PlannedChange, type PlanWarning, planOf } from './plan/plan.js'
import { type Planning, sealAccess } from './sealed-secrets.js'

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
  /** By project, in the order of the drafts: each begins to be counted before the next. */
  const mapped = new Map<string, ChangedMapping[]>()
  const impactOf = async ({ change, before, ends, mapping }: Draft): Promise<PlannedChange> => {
    const range = rangeOf(change.object, call.orgId)
    if (!ends || !range || !before || !counted.has(range.projectId)) return change
    const { source, projectId } = range
    if (mapping && source) {
      const changed = { ...range, ...mapping, source, since: before.created }
      const others = getOrAdd(mapped, projectId, () => [])
      const earlier = others.slice()
      others.push(changed)
      return {
        ...change,
        impact: await impactOfMapping(runtime, call, { ...changed, at }, earlier),
      }
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

/** Most warnings of a plan. */
const MAX_WARNINGS = 100

/**
 * Permissions that roles of declared projects keep, and that no declared role has: probably misspelt. Only of projects
 * that declare permissions.
 */
const unknownPermissions = async (
  planning: Planning,
  changes: readonly PlannedChange[],
): Promise<readonly PlanWarning[]> => {
  const gone = new Set(
    changes.flatMap(({ action, object }) => (action === 'remove' ? streamOf('', object) : [])),
  )
  const isGone = (object: PlanWarning['object']) => gone.has(streamOf('', object))
  const warnings: PlanWarning[] = []
  for (const project of planning.access.projects ?? []) {
    if (!project.roles?.some(({ permissions = [] }) => permissions.length > 0)) continue
    warnings.push(...(await unknownIn(planning, project, isGone)))
    if (warnings.length >= MAX_WARNINGS) break
  }
  return warnings.slice(0, MAX_WARNINGS)
}

const unknownIn = async (
  { runtime, call }: Planning,
  { id: projectId, roles = [] }: ParsedProject,
  isGone: (object: PlanWarning['object']) => boolean,
): Promise<readonly PlanWarning[]> => {
  const declared = new Map(roles.map((role) => [String(role.roleKey), role]))
  const known = new Set<string>(PERMISSIONS)
  for (const { permissions = [] } of roles) for (const name of permissions) known.add(name)
  const found: PlanWarning[] = []
  const wanted = { type: 'project_role', orgId: call.orgId, projectId } as const
  for await (const row of allObjects(runtime, call, wanted)) {
    const role = declared.get(row.roleKey)
    const object = aggregates.project_role.ref(row)
    // Of a declared role that names no permissions, those that it has stay.
    if (role && !role.permissions) for (const name of row.permissions) known.add(name)
    if (role || isGone(object)) continue
    for (const permission of row.permissions) found.push({ object, permission })
  }
  return found.filter(({ permission }) => !known.has(permission))
}
