import { aggregates } from '../../domain/aggregates.js'
import { fieldOf } from '../../domain/values.js'
import type { Refused } from '../method/context.js'
import type { NeededPermission } from '../method/method.js'
import { type Target, targetOf, targetOfObject } from '../method/target.js'
import { DECLARED_TYPES, type DeclaredType } from './declared/declared-type.js'
import { MAX_OBJECTS } from './declared/desired-access.js'
import { MAX_CHANGES } from './plan/plan.js'

// Each function takes any input: permissions are checked before its schema.

/** Fields of the context that have no meaning for many objects at once. A dry run of an apply is `iam.plan`. */
export const REFUSED_BY_APPLY: readonly Refused[] = ['expectedSequence', 'idempotencyKey', 'dryRun']

/** The permissions that `iam.plan` requires for a desired state. */
export const permissionsToPlan = (input: unknown, orgId: string): readonly NeededPermission[] =>
  permissionsFor(declaredIn(input, orgId), ['read'])

/** The permissions that `iam.apply` requires for a desired state. */
export const permissionsToApply = (input: unknown, orgId: string): readonly NeededPermission[] =>
  permissionsFor(declaredIn(input, orgId), ['read', 'write'])

/** The permissions that `iam.apply` requires for a plan. An object of an unknown type requires all. */
export const permissionsToApplyPlan = (
  input: unknown,
  orgId: string,
): readonly NeededPermission[] =>
  permissionsFor(
    listIn(input, 'changes', MAX_CHANGES).flatMap((change) => {
      const type = fieldOf(fieldOf(change, 'object'), 'type')
      const known = DECLARED_TYPES.filter((declared) => declared === type)
      const target = targetOfObject(change, orgId)
      return (known.length > 0 ? known : DECLARED_TYPES).map((type) => ({ type, target }))
    }),
    ['read', 'write'],
  )

/** Objects of one type; all of the organization without a target. */
interface Declared {
  readonly type: DeclaredType
  readonly target: NeededPermission['object']
}

const declaredIn = (input: unknown, orgId: string): readonly Declared[] => {
  const declare = (type: DeclaredType, target: Target) => (item: unknown) => ({
    type,
    target: target(item, orgId),
  })
  const projects = listIn(input, 'projects', MAX_OBJECTS)
  const projectsWith = (field: 'roles' | 'grants') =>
    projects.filter((project) => fieldOf(project, field) !== undefined)
  return [
    ...projects.map(declare('project', targetOf(aggregates.project))),
    ...projectsWith('roles').map(declare('project_role', targetOf(aggregates.project))),
    ...projectsWith('grants').map(declare('project_grant', targetOf(aggregates.project))),
    ...listIn(input, 'identityProviders', MAX_OBJECTS).map(
      declare('identity_provider', targetOf(aggregates.identity_provider)),
    ),
  ]
}

/** A malformed or too long list counts as one malformed item, which needs permission for the organization. */
const listIn = (input: unknown, field: string, most: number): readonly unknown[] => {
  const items = fieldOf(input, field)
  if (items === undefined) return []
  return Array.isArray(items) && items.length <= most ? items : [items]
}

/** Each permission once for each target. */
const permissionsFor = (
  declared: readonly Declared[],
  uses: readonly ('read' | 'write')[],
): readonly NeededPermission[] => {
  const asked = new Map<string, NeededPermission>()
  for (const { type, target: object } of declared)
    for (const use of uses) {
      const permission = aggregates[type].permissions[use]
      // None of the three holds a space.
      const key = `${permission} ${object?.type} ${object?.id}`
      asked.set(key, { permission, ...(object && { object }) })
    }
  return [...asked.values()]
}
