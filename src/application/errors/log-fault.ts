import type { StreamId } from '../../domain/values.js'
import type { Position, Version } from '../../ports/event-store.js'
import type { SecretUnreadable } from '../../ports/secret-cipher.js'
import type { IamError } from './errors.js'

/** An event whose position does not lie above that of the event before it. */
export interface PositionOutOfOrder {
  readonly kind: 'PositionOutOfOrder'
  /** Where the event lies. */
  readonly position: Position
  /** Where the event before it lies. */
  readonly previous: Position
}

/** An event whose version does not follow that of the event before it in its stream. */
export interface VersionOutOfOrder {
  readonly kind: 'VersionOutOfOrder'
  /** Where the event lies. */
  readonly position: Position
  /** The stream that holds it. */
  readonly stream: StreamId
  /** The version that it has. */
  readonly version: Version
  /** The version that it should have. */
  readonly expected: Version
}

/** An event that holds a client secret whose seal does not open. */
export interface SealBroken {
  readonly kind: 'SealBroken'
  /** Where the event lies. */
  readonly position: Position
  /** The stream that holds it. */
  readonly stream: StreamId
  /** Why it does not open. */
  readonly cause: SecretUnreadable
}

/**
 * What is wrong with a log, at the first event at which something is; `UnknownEvent` and
 * `CorruptEvent` tell of types and data.
 */
export type LogFault = PositionOutOfOrder | VersionOutOfOrder | SealBroken | IamError

/** The target holds an event that the source does not have there: it is no copy of it. */
export interface DifferentLog {
  readonly kind: 'DifferentLog'
  /** The last position of the target. */
  readonly position: Position
}
