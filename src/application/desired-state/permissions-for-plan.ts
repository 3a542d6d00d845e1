import { fieldOf } from '../../domain/field-of.js'
import { kinds } from '../../domain/kinds.js'
import type { Permission } from '../../ports/authorize.js'
import type { ViewType } from '../../ports/read-model.js'
import type { Refused } from '../method/admit.js'
import type { NeededPermission } from '../method/method.js'
import { type Target, targetIdp, targetOfObject, targetProject } from '../method/target.js'
import { MAX_OBJECTS } from './declared/desired-access.js'
import { MAX_CHANGES } from './plan/plan.js'

/** Whether only what `plan` needs is asked for, or all that `apply` needs. */
type Use = 'plan' | 'apply'

/** What has no meaning for many objects at once. The dry run of an apply is `iam.plan`. */
export const REFUSED_BY_APPLY: readonly Refused[] = ['expectedSequence', 'idempotencyKey', 'dryRun']

/** What `iam.plan` needs of a desired state, well-formed or not. */
export const permissionsForPlan = (input: unknown): readonly NeededPermission[] =>
  permissionsForDesired(input, 'plan')

/** What `iam.apply` needs of a desired state, well-formed or not. */
export const permissionsForApply = (input: unknown): readonly NeededPermission[] =>
  permissionsForDesired(input, 'apply')

/** What `iam.apply` needs of a plan, well-formed or not. */
export const permissionsForApplyPlan = (input: unknown): readonly NeededPermission[] => {
  const changed = new Map<
    string,
    { readonly types: readonly ViewType[]; readonly object: NeededPermission['object'] }
  >()
  // A plan has many changes, most of them of roles of a few projects.
  for (const change of itemsOf(input, 'changes', MAX_CHANGES)) {
    const type = fieldOf(fieldOf(change, 'object'), 'type')
    const known = DECLARED.filter((known) => known === type)
    const object = targetOfObject(change)
    const types = known.length > 0 ? known : DECLARED
    changed.set(`${known} ${object?.type} ${object?.id}`, { types, object })
  }
  return distinct(
    [...changed.values()].flatMap(({ types, object }) =>
      types.flatMap((type) => asked(neededFor(type), object)),
    ),
  )
}

/** The types of which a desired state declares objects. */
const DECLARED = ['project', 'project_role', 'identity_provider'] as const

/** What it takes to read objects of a type, and then to change them. */
const neededFor = (type: ViewType): readonly Permission[] => {
  const { read, write } = kinds[type].permissions
  return [read, write]
}

const permissionsForDesired = (input: unknown, use: Use): readonly NeededPermission[] => {
  const askFor = (type: ViewType, target: Target) => (item: unknown) =>
    asked(use === 'plan' ? neededFor(type).slice(0, 1) : neededFor(type), target(item))
  const projects = itemsOf(input, 'projects')
  return distinct([
    ...projects.flatMap(askFor('project', targetProject)),
    ...projects
      .filter((project) => fieldOf(project, 'roles') !== undefined)
      .flatMap(askFor('project_role', targetProject)),
    ...itemsOf(input, 'identityProviders').flatMap(askFor('identity_provider', targetIdp)),
  ])
}

const asked = (
  permissions: readonly Permission[],
  object: NeededPermission['object'],
): readonly NeededPermission[] =>
  permissions.map((permission) => ({ permission, ...(object && { object }) }))

/**
 * What is no list, or one of more than `most`, stands for one malformed item: the question is then about
 * the organization.
 */
const itemsOf = (input: unknown, field: string, most = MAX_OBJECTS): readonly unknown[] => {
  const items = fieldOf(input, field)
  if (items === undefined) return []
  return Array.isArray(items) && items.length <= most ? items : [items]
}

const distinct = (questions: readonly NeededPermission[]): readonly NeededPermission[] => [
  ...new Map(
    questions.map((question) => {
      const { permission, object } = question
      // None of them holds a space.
      return [`${permission} ${object?.type} ${object?.id}`, question]
    }),
  ).values(),
]
