import type { ObjectDetails } from '../../../ports/read-model.js'
import type { Plan } from '../plan/plan.js'
import type { PlannedChange } from '../plan/planned-change.js'

/** A change that took effect, or need not or may not, beside the details that the object has since. */
export interface AppliedChange extends PlannedChange {
  /**
   * Of a removed object, those of its end. Absent when there is no object: of what is `blocked`, and of a
   * `superseded` role that a newer version removed.
   */
  readonly details?: ObjectDetails | undefined
}

/**
 * What was done: what a {@link Plan} says, with the details of every object. `fields`, `counts` and
 * `undeclared` are told anew, of a plan that was given too.
 */
export interface Applied extends Plan {
  /** In the order of the plan. */
  readonly changes: readonly AppliedChange[]
}
