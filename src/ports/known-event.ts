import type { AnyEvent } from '../domain/aggregates.js'
import { fieldOf, type StreamId } from '../domain/values.js'
import type { Position, RecordedEvent, Version } from './event-store.js'

/** An event of the library as it was recorded, in the newest version of its type; switch on `type`. */
export type KnownEvent = RecordedEvent & AnyEvent

/**
 * Which event cannot be read, for the operator. It names an organization and an object: log it, but do not send it
 * to a client. `toStatus` leaves it out.
 */
export interface EventAddress {
  /** Its position in the log. */
  readonly position: Position
  /** Its stream, which names the object. */
  readonly stream: StreamId
  /** Its number in the stream, from 1. */
  readonly version: Version
  /** Event type. */
  readonly type: string
  /** Version of the shape of its data. */
  readonly schemaVersion: number
  /** Id of the append that recorded it. */
  readonly appendId: string
  /** The organization that owns it; absent when its metadata name none. */
  readonly resourceOwner?: string
}

/**
 * An event with a type or schema version that this version of the library does not know: a newer one wrote it.
 * Reading stops there: an event is never skipped.
 */
export interface UnknownEvent extends EventAddress {
  readonly kind: 'UnknownEvent'
}

/** An event that the library does not write like this. Never repeats a value. */
export interface CorruptEvent extends EventAddress {
  readonly kind: 'CorruptEvent'
  /** What is wrong, as a path such as `data.name`; `stream` when the ids are not those of the stream. */
  readonly field: string
}

/** Why an event cannot be read. */
export type UnreadableEvent = UnknownEvent | CorruptEvent

/** The refusal of an event that this version of the library does not know. */
export const unknownEvent = (recorded: RecordedEvent): UnknownEvent => ({
  kind: 'UnknownEvent',
  ...addressOf(recorded),
})

/** The refusal of an event that is wrong in `field`. */
export const corruptEvent = (recorded: RecordedEvent, field: string): CorruptEvent => ({
  kind: 'CorruptEvent',
  ...addressOf(recorded),
  field,
})

const addressOf = (recorded: RecordedEvent): EventAddress => {
  const { position, stream, version, type, schemaVersion, appendId } = recorded
  const resourceOwner = fieldOf(recorded.metadata, 'resourceOwner')
  return {
    position,
    stream,
    version,
    type,
    schemaVersion,
    appendId,
    ...(typeof resourceOwner === 'string' && { resourceOwner }),
  }
}
