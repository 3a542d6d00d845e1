import type { StreamId } from '../../domain/values.js'
import type { Position, Version } from '../../ports/event-store.js'
import type { SecretUnreadable } from '../../ports/secret-cipher.js'
import type { IamError } from './errors.js'

/** An event whose position does not lie above that of the event before it. */
export interface PositionOutOfOrder {
  readonly kind: 'PositionOutOfOrder'
  /** Position of the event. */
  readonly position: Position
  /** Position of the event before it. */
  readonly previous: Position
}

/** An event whose version does not follow that of the event before it in its stream. */
export interface VersionOutOfOrder {
  readonly kind: 'VersionOutOfOrder'
  /** Position of the event. */
  readonly position: Position
  /** Its stream. */
  readonly stream: StreamId
  /** Its version. */
  readonly version: Version
  /** The version that follows the event before it. */
  readonly expected: Version
}

/** An event that holds a client secret whose seal does not open. */
export interface SealBroken {
  readonly kind: 'SealBroken'
  /** Position of the event. */
  readonly position: Position
  /** Its stream. */
  readonly stream: StreamId
  /** Why it does not open. */
  readonly cause: SecretUnreadable
}

/** The log is no longer what a checkpoint says: an event before it was changed, removed, inserted, moved or cut off. */
export interface LogChanged {
  readonly kind: 'LogChanged'
  /** Origin of the checkpoint: the name of the key that signed it. */
  readonly origin: string
  /** Number of events of the checkpoint. */
  readonly size: number
  /** Number of events, from the first, that agree with an earlier checkpoint; 0 without one. */
  readonly agreed: number
  /** Whether the log has fewer events than the checkpoint. */
  readonly isCut: boolean
}

/** The first fault in a log; `UnknownEvent` and `CorruptEvent` are about types and data. */
export type LogFault = PositionOutOfOrder | VersionOutOfOrder | SealBroken | LogChanged | IamError

/** The last event of the target is not in the source: the target is no copy of it. */
export interface DifferentLog {
  readonly kind: 'DifferentLog'
  /** The last position of the target. */
  readonly position: Position
}
