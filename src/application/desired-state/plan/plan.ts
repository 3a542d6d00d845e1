import * as z from 'zod/mini'
import { type ObjectRef, OrgId, requiredText } from '../../../domain/values.js'
import { streamOf } from '../../../projections/read-events.js'
import { onlyOnce, refuseItems } from '../../method/input.js'
import { accessVersion, versionNeedsMarker } from '../declared/access-version.js'
import { type Action, DeclaredObject, PlannedChange, plannedList } from './planned-change.js'

/** Number of objects by action; `blocked` and `superseded` are absent when they are zero. */
export type Counts = { readonly [Each in Exclude<Action, 'blocked' | 'superseded'>]: number } & {
  readonly [Each in 'blocked' | 'superseded']?: number | undefined
}

/**
 * The changes that bring an organization to its desired state, and their conditions. Plain data: it can be
 * stored as JSON and applied after it is read back.
 */
export interface Plan {
  /** The organization that the plan is for. */
  readonly orgId: string
  /** `managedBy` of the desired state; marks the recorded events. */
  readonly managedBy?: string | undefined
  /** `version` of the desired state; recorded with `managedBy`. */
  readonly version?: number | undefined
  /**
   * First each declared project, followed by its declared roles and the roles to remove, its declared
   * grants and the grants to remove; then each declared
   * identity provider. A plan of more than 1,000,000 cannot be applied: its JSON text would be too long.
   */
  readonly changes: readonly PlannedChange[]
  /** Counts of all `changes`. */
  readonly counts: Counts
  /**
   * Projects and identity providers that exist but are not declared. They stay as they are. Only of a type
   * that the desired state lists, even with an empty list, and that the caller may read in the whole
   * organization. At most 1,000,000.
   */
  readonly undeclared: readonly ObjectRef[]
}

const count = z.int({ error: 'must be a whole number' })

/** The JSON text of a larger plan would exceed the longest string of JavaScript. */
export const MAX_CHANGES = 1_000_000

/** Refuses what lies in projects and is wrong for what the plan does to the project; undefined without it. */
const refuseContents = (
  path: readonly PropertyKey[],
  message: string,
  isWrong: (content: Action, project: Action | undefined) => boolean,
) =>
  refuseItems<PlannedChange>({ path, message }, (changes) => {
    const projects = new Map(
      changes.flatMap(({ object, action }) =>
        object.type === 'project' ? [[object.id, action] as const] : [],
      ),
    )
    return ({ object, action }) =>
      'projectId' in object && isWrong(action, projects.get(object.projectId))
  })

/** Schema of a {@link Plan}. */
export const Plan: z.ZodMiniType<Plan> = z
  .strictObject({
    orgId: OrgId,
    managedBy: z.optional(requiredText),
    version: z.optional(accessVersion),
    changes: plannedList(PlannedChange, MAX_CHANGES).check(
      onlyOnce(({ object }) => streamOf('', object), ['object']),
      refuseContents(
        ['object', 'projectId'],
        'must be a project of the plan',
        (_, project) => project === undefined,
      ),
      refuseContents(
        ['action'],
        'must be blocked when its project is, and only then',
        (content, project) =>
          project !== undefined && (project === 'blocked') !== (content === 'blocked'),
      ),
    ),
    counts: z.strictObject({
      add: count,
      update: count,
      remove: count,
      unchanged: count,
      blocked: z.optional(count),
      superseded: z.optional(count),
    }),
    undeclared: plannedList(DeclaredObject, MAX_CHANGES),
  })
  .check(versionNeedsMarker)

/** Whether an input is a plan and not a desired state. An input that throws when it is read is neither. */
export const isPlan = (input: unknown): input is Plan => {
  try {
    return typeof input === 'object' && input !== null && 'changes' in input
  } catch {
    return false
  }
}

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
