import type { DomainEvent } from '../domain/email-domain/events.js'
import type { VerifiedDomainEvent } from '../domain/email-domain/verified-domain.js'
import type { IdentityProviderEvent } from '../domain/identity-provider/events.js'
import type { ProjectEvent } from '../domain/project/events.js'
import type { ProjectGrantEvent } from '../domain/project-grant/events.js'
import type { ProjectRoleEvent } from '../domain/project-role/events.js'
import type { UserGrantEvent } from '../domain/user-grant/events.js'
import { fieldOf, type StreamId } from '../domain/values.js'
import type { Position, RecordedEvent, Version } from './event-store.js'

/** An event of the library as it was recorded, in the newest version of its type; switch on `type`. */
export type KnownEvent = RecordedEvent &
  (
    | IdentityProviderEvent
    | ProjectEvent
    | ProjectRoleEvent
    | ProjectGrantEvent
    | UserGrantEvent
    | DomainEvent
    | VerifiedDomainEvent
  )

/**
 * Which event cannot be read, for the operator. It names an organization and an object, so it belongs into a
 * log of the host and not into an answer to a client; `toStatus` leaves it out.
 */
export interface EventAddress {
  /** Where it lies in the log. */
  readonly position: Position
  /** The stream that holds it: it names the object. */
  readonly stream: StreamId
  /** Its number in the stream, from 1. */
  readonly version: Version
  /** Event type. */
  readonly type: string
  /** Version of the shape of its data. */
  readonly schemaVersion: number
  /** Id of the append that recorded it. */
  readonly appendId: string
  /** The organization that owns it, by its metadata; absent when they name none. */
  readonly resourceOwner?: string
}

/**
 * An event whose type or schema version is unknown to this version of the library: a newer one wrote it.
 * Reading stops there: an event is never skipped.
 */
export interface UnknownEvent extends EventAddress {
  readonly kind: 'UnknownEvent'
}

/** An event that is not as the library writes it. Never repeats a value. */
export interface CorruptEvent extends EventAddress {
  readonly kind: 'CorruptEvent'
  /** What is wrong, as a path such as `data.name`; `stream` when the ids are not those of the stream. */
  readonly field: string
}

/** Why an event cannot be read. */
export type UnreadableEvent = UnknownEvent | CorruptEvent

/** The refusal of an event that is unknown to this version of the library. */
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
