import type { ObjectDetails } from '../../ports/read-model.js'
import type { Plan } from './plan.js'
import type { PlannedChange } from './planned-change.js'

/** A change that took effect, beside the details that the object has since. */
export interface AppliedChange extends PlannedChange {
  /** Of a removed object, those of its end. */
  readonly details: ObjectDetails
}

/** What was done: what a {@link Plan} says, with the details of every object. */
export interface Applied extends Plan {
  /** In the order of the plan. */
  readonly changes: readonly AppliedChange[]
}
