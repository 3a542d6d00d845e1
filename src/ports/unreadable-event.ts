import type { StreamId } from '../domain/values.js'
import type { Position } from './event-store.js'

/**
 * An event of a type, or in a version of its shape, that this version of the library does not know;
 * it was written by a newer one. Stops its reader: an event is never skipped.
 */
export interface UnknownEvent {
  readonly kind: 'UnknownEvent'
  /** Event type. */
  readonly type: string
  /** Version of the shape of its data. */
  readonly schemaVersion: number
  /** Where it lies. */
  readonly position: Position
}

/** An event that is not as the library writes it. Names what is wrong; never repeats a value. */
export interface CorruptEvent {
  readonly kind: 'CorruptEvent'
  /** The stream that holds it. */
  readonly stream: StreamId
  /** Where it lies. */
  readonly position: Position
  /** Path within the event, such as `data.name`; `stream` when the event tells of another object. */
  readonly field: string
}

/** Why an event cannot be read. */
export type UnreadableEvent = UnknownEvent | CorruptEvent
