import type { ObjectDetails } from '../../../ports/read-model.js'
import type { Plan } from '../plan/plan.js'
import type { PlannedChange } from '../plan/planned-change.js'

/** A change of an applied plan, with the details of its object afterwards. */
export interface AppliedChange extends PlannedChange {
  /**
   * Of a removed object, the details of its removal. Absent when there is no object: when it is `blocked`, and
   * when it is a `superseded` role that a newer version removed.
   */
  readonly details?: ObjectDetails | undefined
}

/**
 * The result of `apply`: the {@link Plan} with the details of every object. `fields`, `counts` and `undeclared`
 * are computed anew, even of a given plan.
 */
export interface Applied extends Plan {
  /** In the order of the plan. */
  readonly changes: readonly AppliedChange[]
}
