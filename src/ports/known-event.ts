import type { AnyEvent } from '../domain/aggregates.js'
import { fieldOf, type StreamId } from '../domain/values.js'
import type { Position, RecordedEvent, Version } from './event-store.js'

/** An event of the library as it was recorded, in the newest version of its type; switch on `type`. */
export type KnownEvent = RecordedEvent & AnyEvent

/**
 * The event that cannot be read, for operators. It contains ids of an organization and an object, so log it but do not
 * send it to clients; `toStatus` leaves it out.
 */
export interface EventAddress {
  /** Its position in the log. */
  readonly position: Position
  /** Its stream, which names the object. */
  readonly stream: StreamId
  /** Its version in the stream, from 1. */
  readonly version: Version
  /** Event type. */
  readonly type: string
  /** Version of the shape of its data. */
  readonly schemaVersion: number
  /** Id of the append that recorded it. */
  readonly appendId: string
  /** The organization that owns it; absent if its metadata do not name one. */
  readonly resourceOwner?: string
}

/**
 * An event with a type or schema version of a newer version of the library. HTTP status 500. Reading stops there,
 * because events are never skipped.
 */
export interface UnknownEvent extends EventAddress {
  readonly kind: 'UnknownEvent'
}

/**
 * An event with malformed data, which the library did not write. HTTP status 500. The error does not contain the data.
 */
export interface CorruptEvent extends EventAddress {
  readonly kind: 'CorruptEvent'
  /** Path of the malformed field, such as `data.name`; `stream` if the ids do not match the stream. */
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
