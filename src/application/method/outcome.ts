import type { NewEvent, RecordedEvent } from '../../ports/event-store.js'
import type { ObjectDetails } from '../../ports/read-model.js'

/** What a write did. */
export interface Written {
  /** Of the object after the write. Spec: Common response object `details`. */
  readonly details: ObjectDetails
  /** False when the object already was as asked for: nothing was recorded. */
  readonly changed: boolean
  /** As recorded, in order. */
  readonly events: readonly RecordedEvent[]
}

/** What a write that is a dry run would do. */
export interface Planned {
  /** False when the object already is as asked for. */
  readonly changed: boolean
  /** As they would be recorded, in order; generated ids and sealed values aside. */
  readonly events: readonly NewEvent[]
  /**
   * Of the object as it is now; absent when there is none. Under the idempotency key of the same
   * command, those that it was answered with: to repeat it would change nothing.
   */
  readonly details?: ObjectDetails
}

/** What a write answers: what it did, with the ids of its object, or what it would do. */
export type Outcome<Ids> = (Written & Ids) | Planned
