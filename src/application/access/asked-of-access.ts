import type { Permission } from '../../ports/authorize.js'
import type { Refused } from '../context.js'
import type { Asked } from '../method.js'
import { fieldOf, type Target, targetIdp, targetOfObject, targetProject } from '../target.js'

/** Whether only what `plan` needs is asked for, or all that `apply` needs. */
type Use = 'plan' | 'apply'

/** What has no meaning for many objects at once. The dry run of an apply is `iam.plan`. */
export const REFUSED_BY_APPLY: readonly Refused[] = ['expectedSequence', 'idempotencyKey', 'dryRun']

/** What `iam.plan` needs of a desired state, well-formed or not. */
export const askedToPlan = (input: unknown): readonly Asked[] => askedOfDesired(input, 'plan')

/** What `iam.apply` needs of a desired state, well-formed or not. */
export const askedToApply = (input: unknown): readonly Asked[] => askedOfDesired(input, 'apply')

/** What `iam.apply` needs of a plan, well-formed or not. */
export const askedToApplyPlan = (input: unknown): readonly Asked[] =>
  onlyOnce(
    itemsOf(input, 'changes').flatMap((change) => {
      const type = fieldOf(fieldOf(change, 'object'), 'type')
      const kind = KINDS.find((kind) => kind.type === type)
      return (kind ? [kind] : KINDS).flatMap(({ permissions }) =>
        asked(permissions.apply, targetOfObject(change)),
      )
    }),
  )

const PROJECT = {
  type: 'project',
  permissions: { plan: ['project.read'], apply: ['project.read', 'project.write'] },
} as const

const PROJECT_ROLE = {
  type: 'project_role',
  permissions: {
    plan: ['project.role.read'],
    apply: ['project.role.read', 'project.role.write'],
  },
} as const

const IDENTITY_PROVIDER = {
  type: 'identity_provider',
  permissions: {
    plan: ['identity_provider.read'],
    apply: ['identity_provider.read', 'identity_provider.write'],
  },
} as const

const KINDS = [PROJECT, PROJECT_ROLE, IDENTITY_PROVIDER]

const askedOfDesired = (input: unknown, use: Use): readonly Asked[] => {
  const askFor = (permissions: readonly Permission[], target: Target) => (item: unknown) =>
    asked(permissions, target(item))
  const projects = itemsOf(input, 'projects')
  return onlyOnce([
    ...projects.flatMap(askFor(PROJECT.permissions[use], targetProject)),
    ...projects
      .filter((project) => fieldOf(project, 'roles') !== undefined)
      .flatMap(askFor(PROJECT_ROLE.permissions[use], targetProject)),
    ...itemsOf(input, 'identityProviders').flatMap(
      askFor(IDENTITY_PROVIDER.permissions[use], targetIdp),
    ),
  ])
}

const asked = (permissions: readonly Permission[], object: Asked['object']): readonly Asked[] =>
  permissions.map((permission) => ({ permission, ...(object && { object }) }))

/** What is no list stands for one malformed item: the question is then about the organization. */
const itemsOf = (input: unknown, field: string): readonly unknown[] => {
  const items = fieldOf(input, field)
  if (items === undefined) return []
  return Array.isArray(items) ? items : [items]
}

const onlyOnce = (questions: readonly Asked[]): readonly Asked[] => [
  ...new Map(
    questions.map((question) => {
      const { permission, object } = question
      return [JSON.stringify([permission, object?.type, object?.id]), question]
    }),
  ).values(),
]
