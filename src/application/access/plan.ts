import * as z from 'zod/mini'
import { type ObjectRef, OrgId, requiredText } from '../../domain/values.js'
import { streamOf } from '../../projections/stream-name.js'
import { ObjectInput } from '../object-input.js'
import { onlyOnce } from '../only-once.js'
import { type Action, PlannedChange } from './planned-change.js'

/** How many objects there are to each action. */
export type Counts = { readonly [Each in Action]: number }

/**
 * What makes an organization as it is desired to be, and what that is conditional on. Plain data:
 * it can be kept as JSON, and be applied once read back.
 */
export interface Plan {
  /** The organization that it is for. */
  readonly orgId: string
  /** That of the desired state; marks what is recorded. */
  readonly managedBy?: string | undefined
  /**
   * Of every declared project, followed by its declared roles and those to be removed; then of every
   * declared identity provider.
   */
  readonly changes: readonly PlannedChange[]
  /** Over all `changes`. */
  readonly counts: Counts
  /**
   * Projects and identity providers that there are but were not declared, when there was a list of their
   * type, be it empty, and the caller may read all of them. They are left alone.
   */
  readonly undeclared: readonly ObjectRef[]
}

const count = z.int({ error: 'must be a whole number' })

/** Schema of a {@link Plan}. */
export const Plan: z.ZodMiniType<Plan> = z.strictObject({
  orgId: OrgId,
  managedBy: z.optional(requiredText),
  changes: z.array(PlannedChange, { error: 'must be a list' }).check(
    onlyOnce(({ object }) => streamOf('', object), ['object']),
    z.superRefine((changes, { addIssue }) => {
      const projects = new Set(
        changes.map(({ object }) => (object.type === 'project' ? object.id : undefined)),
      )
      changes.forEach(({ object }, index) => {
        if (object.type === 'project_role' && !projects.has(object.projectId))
          addIssue({
            code: 'custom',
            path: [index, 'object', 'projectId'],
            message: 'must be a project of the plan',
          })
      })
    }),
  ),
  counts: z.strictObject({ add: count, update: count, remove: count, unchanged: count }),
  undeclared: z.array(ObjectInput, { error: 'must be a list' }),
})

/** Whether a well-formed input is a plan, and not a desired state. */
export const isPlan = (input: unknown): input is Plan =>
  typeof input === 'object' && input !== null && 'changes' in input

/** @see Counts */
export const countsOf = (changes: readonly PlannedChange[]): Counts => {
  const counts = { add: 0, update: 0, remove: 0, unchanged: 0 }
  for (const { action } of changes) counts[action]++
  return counts
}
