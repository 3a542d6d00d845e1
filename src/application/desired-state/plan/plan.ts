import * as z from 'zod/mini'
import { ObjectInput } from '../../../domain/kinds.js'
import { type ObjectRef, OrgId, requiredText } from '../../../domain/values.js'
import { streamOf } from '../../../projections/events/kind-of.js'
import { onlyOnce, refuseItems } from '../../method/refuse-items.js'
import { accessVersion, versionNeedsMarker } from '../declared/access-version.js'
import { type Action, PlannedChange, plannedList } from './planned-change.js'

/** How many objects there are to each action; `blocked` and `superseded` are absent when there are none. */
export type Counts = { readonly [Each in Exclude<Action, 'blocked' | 'superseded'>]: number } & {
  readonly [Each in 'blocked' | 'superseded']?: number | undefined
}

/**
 * What makes an organization as it is desired to be, and what that is conditional on. Plain data:
 * it can be kept as JSON, and be applied once read back.
 */
export interface Plan {
  /** The organization that it is for. */
  readonly orgId: string
  /** That of the desired state; marks what is recorded. */
  readonly managedBy?: string | undefined
  /** That of the desired state; recorded beside `managedBy`. */
  readonly version?: number | undefined
  /**
   * Of every declared project, followed by its declared roles and those to be removed; then of every
   * declared identity provider. At most 1,000,000, or it cannot be applied: it would not fit into JSON text.
   */
  readonly changes: readonly PlannedChange[]
  /** Over all `changes`. */
  readonly counts: Counts
  /**
   * Projects and identity providers that there are but were not declared, when there was a list of their
   * type, be it empty, and the caller may read all of them. They are left alone. At most 1,000,000.
   */
  readonly undeclared: readonly ObjectRef[]
}

const count = z.int({ error: 'must be a whole number' })

/** More would be above what JavaScript keeps as the text of one JSON document. */
export const MAX_CHANGES = 1_000_000

/** Objects to roles whose project is not in the plan, and to those that are blocked without it. */
const rolesWithTheirProjects = [
  refuseItems<PlannedChange>(
    { path: ['object', 'projectId'], message: 'must be a project of the plan' },
    (changes) => {
      const projects = projectsIn(changes)
      return ({ object }) => object.type === 'project_role' && !projects.has(object.projectId)
    },
  ),
  refuseItems<PlannedChange>(
    { path: ['action'], message: 'must be blocked when its project is, and only then' },
    (changes) => {
      const projects = projectsIn(changes)
      return ({ object, action }) => {
        if (object.type !== 'project_role') return false
        const project = projects.get(object.projectId)
        return project !== undefined && (project === 'blocked') !== (action === 'blocked')
      }
    },
  ),
] as const

const projectsIn = (changes: readonly PlannedChange[]): ReadonlyMap<string, Action> =>
  new Map(
    changes.flatMap(({ object, action }) =>
      object.type === 'project' ? [[object.id, action] as const] : [],
    ),
  )

/** Schema of a {@link Plan}. */
export const Plan: z.ZodMiniType<Plan> = z
  .strictObject({
    orgId: OrgId,
    managedBy: z.optional(requiredText),
    version: z.optional(accessVersion),
    changes: plannedList(PlannedChange, MAX_CHANGES).check(
      onlyOnce(({ object }) => streamOf('', object), ['object']),
      ...rolesWithTheirProjects,
    ),
    counts: z.strictObject({
      add: count,
      update: count,
      remove: count,
      unchanged: count,
      blocked: z.optional(count),
      superseded: z.optional(count),
    }),
    undeclared: plannedList(ObjectInput, MAX_CHANGES),
  })
  .check(versionNeedsMarker)

/** Whether an input is a plan, and not a desired state; what cannot be looked at is neither. */
export const isPlan = (input: unknown): input is Plan => {
  try {
    return typeof input === 'object' && input !== null && 'changes' in input
  } catch {
    return false
  }
}

/** @see Counts */
export const countsOf = (changes: readonly PlannedChange[]): Counts => {
  const counts: { [Each in Action]?: number } & Counts = {
    add: 0,
    update: 0,
    remove: 0,
    unchanged: 0,
  }
  for (const { action } of changes) counts[action] = (counts[action] ?? 0) + 1
  return counts
}
