import type { ObjectRef, ProjectRoleRef } from '../../../domain/values.js'
import { streamOf } from '../../../projections/read-events.js'
import {
  type InvalidArgument,
  invalid,
  type Moved,
  type PlanOutdated,
} from '../../errors/errors.js'
import type { PlannedChange } from '../plan/planned-change.js'
import { givesRoles } from '../plan/planned-event.js'
import type { Values } from '../plan/recorded-fields.js'

/** The roles that the grants of a plan name, each once. */
export const grantedRoles = (changes: readonly PlannedChange[]): readonly ProjectRoleRef[] => {
  const roles = new Map<string, ProjectRoleRef>()
  for (const { data } of changes.flatMap(({ events }) => events.filter(givesRoles)))
    for (const roleKey of data.roleKeys) {
      const role = { type: 'project_role', projectId: data.projectId, roleKey } as const
      roles.set(streamOf('', role), role)
    }
  return [...roles.values()]
}

/** The refusal of a plan that grants roles which will not be there; `exists` tells of those that it leaves alone. */
export const outdatedByRoles = (
  changes: readonly PlannedChange[],
  exists: (role: ProjectRoleRef) => boolean,
): PlanOutdated | undefined => {
  const actions = new Map(changes.map(({ action, object }) => [streamOf('', object), action]))
  const missing = grantedRoles(changes).filter((role) => {
    const action = actions.get(streamOf('', role))
    return action === 'remove' || (action !== 'add' && !exists(role))
  })
  const moved = missing.map((object) => ({ object, change: 'removed' }) as const)
  return moved.length > 0 ? { kind: 'PlanOutdated', moved } : undefined
}

/**
 * The refusal of a plan that shows roles of a grant which have ended since: a role ends with no event of the grant.
 * `valuesOf` tells the current values of an object.
 */
export const outdatedByEndedRoles = (
  changes: readonly PlannedChange[],
  valuesOf: (change: PlannedChange) => Values,
): PlanOutdated | undefined => {
  const moved = changes.flatMap((change): readonly Moved[] => {
    const { roleKeys } = valuesOf(change)
    if (change.object.type !== 'project_grant' || !Array.isArray(roleKeys)) return []
    const current = new Set<unknown>(roleKeys)
    const shown = change.fields.flatMap((each) => ('from' in each ? (each.from ?? []) : []))
    const isOutdated = shown.some((roleKey) => !current.has(roleKey))
    return isOutdated ? [{ object: change.object, change: 'changed' }] : []
  })
  return moved.length > 0 ? { kind: 'PlanOutdated', moved } : undefined
}

/** The values of an object once the roles are removed that a plan removes: a grant loses them with no event of its own. */
export const afterRemovals = (
  changes: readonly PlannedChange[],
): ((object: ObjectRef, values: Values) => Values) => {
  const removed = new Set(
    changes.flatMap(({ action, object }) => (action === 'remove' ? streamOf('', object) : [])),
  )
  return (object, values) => {
    const { roleKeys } = values
    if (object.type !== 'project_grant' || !Array.isArray(roleKeys)) return values
    const { projectId } = object
    const isLeft = (roleKey: string) =>
      !removed.has(streamOf('', { type: 'project_role', projectId, roleKey }))
    return { ...values, roleKeys: roleKeys.filter(isLeft) }
  }
}

/** The refusal of a plan that grants a project to the organization that owns it. */
export const invalidGrant = (
  changes: readonly PlannedChange[],
  orgId: string,
): InvalidArgument | undefined => {
  const index = changes.findIndex(
    ({ object }) => object.type === 'project_grant' && object.grantedOrgId === orgId,
  )
  if (index < 0) return undefined
  const field = `changes[${index}].object.grantedOrgId`
  return invalid(field, 'must not be the organization that owns the project')
}
