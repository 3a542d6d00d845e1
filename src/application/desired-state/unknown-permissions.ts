import { aggregates } from '../../domain/aggregates.js'
import { PERMISSIONS } from '../../domain/values.js'
import { streamOf } from '../../projections/read-events.js'
import { allObjects } from '../reading/reads.js'
import type { ParsedProject } from './declared/desired-project.js'
import type { PlannedChange, PlanWarning } from './plan/plan.js'
import type { Planning } from './sealed-secrets.js'

/** Most warnings of a plan. */
const MAX_WARNINGS = 100

/**
 * Permissions that roles of declared projects keep, and that no declared role has: probably misspelt. Only of projects
 * that declare permissions.
 */
export const unknownPermissions = async (
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
