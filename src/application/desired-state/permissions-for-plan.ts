import { aggregates } from '../../domain/aggregates.js'
import { fieldOf, isRequiredText, type ObjectRef } from '../../domain/values.js'
import { type Target, targetOf } from '../method/input.js'
import type { NeededPermission } from '../method/method.js'
import { DECLARED_TYPES, MAX_OBJECTS } from './declared/desired-access.js'

// Each function takes any input: permissions are checked before its schema.

/** The permissions that `iam.plan` requires for a desired state. */
export const permissionsToPlan = (input: unknown, orgId: string): readonly NeededPermission[] =>
  permissionsFor(declaredIn(input, orgId), ['read'])

/** The permissions that `iam.apply` requires for a desired state: for its objects, and for its name. */
export const permissionsToApply = (input: unknown, orgId: string): readonly NeededPermission[] => [
  ...permissionsFor(declaredIn(input, orgId), ['read', 'write']),
  ...permissionsForName(fieldOf(input, 'managedBy')),
]

/** What was applied under a name belongs to it: not everybody who may read the name may use it. */
const permissionsForName = (managedBy: unknown): readonly NeededPermission[] => {
  if (managedBy === undefined) return []
  const object = isRequiredText(managedBy) && ({ type: 'desired_state', managedBy } as const)
  return [{ permission: 'desired_state.write', ...(object && { object }) }]
}

/**
 * The permissions that `iam.apply` requires for a plan: those for its desired state. When that is malformed, those for every
 * type but mappings, which many callers never declare.
 */
export const permissionsToApplyPlan = (
  input: unknown,
  orgId: string,
): readonly NeededPermission[] => {
  const desired = fieldOf(input, 'desired')
  return typeof desired === 'object' && desired !== null
    ? permissionsToApply(desired, orgId)
    : permissionsFor(
        DECLARED_TYPES.filter((type) => type !== 'role_mapping').map((type) => ({
          type,
          target: undefined,
        })),
        ['read', 'write'],
      )
}

/** The permissions that `iam.plan` or `iam.apply` requires to lift the protection of objects, once they are known. */
export const permissionsToLift = (
  types: readonly ObjectRef['type'][],
  { object, method }: { readonly object: ObjectRef; readonly method: string },
): readonly NeededPermission[] => {
  const of = aggregates[object.type].target(object, '')
  const declared = types.map((type) => ({ type, target: type === 'role_mapping' ? undefined : of }))
  return permissionsFor(declared, method === 'plan' ? ['read'] : ['read', 'write'])
}

/** Objects of one type; without a target, all of the organization. */
interface Declared {
  readonly type: ObjectRef['type']
  readonly target: NeededPermission['object']
}

const declaredIn = (input: unknown, orgId: string): readonly Declared[] => {
  const declare = (type: ObjectRef['type'], target: Target) => (item: unknown) => ({
    type,
    target: target(item, orgId),
  })
  const projects = listIn(input, 'projects')
  const projectsWith = (field: 'roles' | 'grants' | 'mappings') =>
    projects.filter((project) => fieldOf(project, field) !== undefined)
  return [
    ...projects.map(declare('project', targetOf(aggregates.project))),
    ...projectsWith('roles').map(declare('project_role', targetOf(aggregates.project))),
    ...projectsWith('grants').map(declare('project_grant', targetOf(aggregates.project))),
    // Groups of any provider, declared or removed: the permission for the whole organization.
    ...projectsWith('mappings').map(() => ({ type: 'role_mapping' as const, target: undefined })),
    ...listIn(input, 'identityProviders').map(
      declare('identity_provider', targetOf(aggregates.identity_provider)),
    ),
  ]
}

/** A malformed or too long list counts as one malformed item, which needs permission for the organization. */
const listIn = (input: unknown, field: string): readonly unknown[] => {
  const items = fieldOf(input, field)
  if (items === undefined) return []
  return Array.isArray(items) && items.length <= MAX_OBJECTS ? items : [items]
}

/** Each permission once for each target. */
const permissionsFor = (
  declared: readonly Declared[],
  uses: readonly ('read' | 'write')[],
): readonly NeededPermission[] => {
  const needed = new Map<string, NeededPermission>()
  for (const { type, target: object } of declared)
    for (const use of uses) {
      const permission = aggregates[type].permissions[use]
      // Which roles of a grant or mapping change is asked about once that is planned.
      const isOfRoles = (type === 'project_grant' || type === 'role_mapping') && use === 'write'
      needed.set(JSON.stringify([permission, object]), {
        permission,
        ...(object && { object }),
        ...(isOfRoles && { roleKeys: [] }),
      })
    }
  return [...needed.values()]
}
