import type { NewEvent, RecordedEvent } from '../../ports/event-store.js'
import type { FieldChange, ObjectDetails } from '../../ports/read-model.js'

/** What a write did. */
export interface Written {
  /** The object after the write. Spec: Common response object `details`. */
  readonly details: ObjectDetails
  /** False when the write changes nothing; then no event was recorded. */
  readonly changed: boolean
  /** As recorded, in order. */
  readonly events: readonly RecordedEvent[]
}

/** What a write would do: the answer of a dry run. */
export interface Planned {
  /** False when the write would change nothing. */
  readonly changed: boolean
  /** As they would be recorded, in order, except generated ids and sealed values. */
  readonly events: readonly NewEvent[]
  /**
   * The fields that would change, as history would show them: of a secret only that it changes. Of several objects,
   * each field with the place of its object in the input, such as `roles[0].displayName`.
   */
  readonly changes: readonly FieldChange[]
  /**
   * The object as it is now; absent when it does not exist. When the idempotency key was used for the same
   * command: as that was answered, since a repeat would change nothing.
   */
  readonly details?: ObjectDetails
}

/** The answer of a write: what it did, with the ids of its object, or what it would do. */
export type Outcome<Ids> = (Written & Ids) | Planned
