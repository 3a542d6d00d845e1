import type { Result } from 'neverthrow'
import type { Message } from '../domain/message.js'
import { fieldOf, type StreamId } from '../domain/values.js'

/** How many events a stream holds; 0 for a stream that does not exist. */
export type Version = number

/**
 * Place of an event in the order of all events of one store, and the time it was recorded at:
 * microseconds since the Unix epoch, or one more than the position before, whichever is later.
 * Strictly rising in commit order; survives clocks that run backwards. Spec: Common response object `details`.
 */
export type Position = bigint

/** The time that `position` stands for; to the millisecond, as `Date` has it. */
export const timeOf = (position: Position): Date =>
  // `Date` drops the fraction. A number holds microseconds exactly up to the year 2255, and is three times as
  // fast as dividing a bigint.
  new Date(Number(position) / 1000)

/** Who acted, as the host authenticated them. */
export interface Actor {
  /** Opaque to the library; stays in the log for ever. */
  readonly userId: string
  /** The organization of the user, not of the changed objects. */
  readonly orgId: string
}

/** Who made an append, for whom, and by which request; stored with each of its events. */
export interface Metadata {
  /** On whose behalf it was recorded. */
  readonly actor: Actor
  /** Organization that the changed objects belong to, as their streams say. Spec: Common response object `details`. */
  readonly resourceOwner: string
  /** Id by which the host traces the request; at most 255 characters. */
  readonly correlationId?: string
  /** `<orgId>+<key>`; a store records no second append under the same one. */
  readonly idempotencyKey?: string
  /** SHA-256, base64url, of the command that `idempotencyKey` was used for. */
  readonly commandHash?: string
  /** Name of the desired state that recorded it, which prunes nothing else. */
  readonly managedBy?: string
  /** Version of that desired state, from 1: an older version leaves these objects alone. */
  readonly managedVersion?: number
}

/** An event as the library passes it to a store. */
export interface NewEvent extends Message {
  /** Version of the shape of `data`, by event type; the first is 1. */
  readonly schemaVersion: number
}

/** An event as a store returns it, with its position in the log. */
export interface RecordedEvent extends NewEvent {
  /** {@link Append.id} of the append that recorded it. */
  readonly appendId: string
  /** The stream that holds it. */
  readonly stream: StreamId
  /** Version of the stream once it holds this event: 1 for its first. */
  readonly version: Version
  /** Its place in the log, and when it was recorded. */
  readonly position: Position
  /** That of its append. */
  readonly metadata: Metadata
}

/** Events for one stream, on condition that nobody else has written to it. */
export interface StreamWrite {
  /** The stream that is written or guarded. */
  readonly stream: StreamId
  /** Version the writer based its decision on; 0 for a stream that must not exist yet. */
  readonly expectedVersion: Version
  /** May be empty: the write then only guards `expectedVersion`. */
  readonly events: readonly NewEvent[]
}

/** What one command records: every write or none. */
export interface Append {
  /** ULID, by which a writer finds its own append after an unknown outcome. */
  readonly id: string
  /** Each stream at most once; at most {@link MAX_WRITES}. */
  readonly writes: readonly StreamWrite[]
  /** Stored with each of the events. */
  readonly metadata: Metadata
}

/** Most writes of one append: a project and a thousand of its roles. */
export const MAX_WRITES = 1001

/** Most bytes (UTF-8) that the `data` of all events of one append take as JSON: 4 MiB. */
export const MAX_APPEND_BYTES = 4 * 1024 * 1024

/**
 * Most bytes (UTF-8) of every other text of an append: of stream names, event types, ids and keys.
 * Every database can index that much.
 */
export const MAX_NAME_BYTES = 2048

/** Another writer changed `stream` first. Load again and decide anew. */
export interface VersionConflict {
  readonly kind: 'VersionConflict'
  /** The first in the order of `writes` whose version is not the expected one. */
  readonly stream: StreamId
}

/** An append with the same idempotency key was recorded before. */
export interface IdempotencyKeyUsed {
  readonly kind: 'IdempotencyKeyUsed'
}

/**
 * Durable, append-only storage of events, supplied by the host.
 *
 * A lost race is a result; a store that cannot be reached rejects with a `StoreFault`. Run `eventStoreLaws` of
 * `claviger/testing` against your implementation.
 */
export interface EventStore {
  /**
   * Records every write or none, and calls the listeners of {@link EventStore.onAppend}.
   * Assigns versions, counted from 1 in each stream, and positions, strictly rising over all
   * streams in commit order.
   *
   * A used idempotency key is reported first, then the first stream in the order of `writes` whose
   * version is not the expected one. An append without events records nothing and uses up no key.
   *
   * Rejects, before anything is written, an append that is empty, names a stream twice, has more than
   * {@link MAX_WRITES} writes or {@link MAX_APPEND_BYTES}, an expected version that is no safe integer
   * from 0 or a schema version that is none from 1, or text outside `data` that no store can keep:
   * ill-formed, with U+0000 or above 2,048 bytes of UTF-8.
   *
   * Appends of one handle that write one stream are recorded in the order they were sent, also when they
   * are sent without waiting.
   *
   * @returns the events as recorded, in the order written
   */
  append(
    append: Append,
  ): Promise<Result<readonly RecordedEvent[], VersionConflict | IdempotencyKeyUsed>>

  /** The events of `stream` above `afterVersion`, oldest first; `[]` when there are none. */
  readStream(stream: StreamId, afterVersion?: Version): Promise<readonly RecordedEvent[]>

  /**
   * At most `limit` events above `after`, lowest position first; none when `limit` is 0 or less. `after`
   * may be any integer, also one below 0 or of more than 64 bits: callers choose it. Never returns a
   * position while a lower one may still be committed: a reader would miss that event for ever.
   */
  readAll(after: Position, limit: number): Promise<readonly RecordedEvent[]>

  /** Position of the last event; `0n` when there is none. */
  lastPosition(): Promise<Position>

  /** What that append recorded, in the order written; `[]` when there was none. */
  findAppend(
    by:
      | {
          /** {@link Append.id}. */
          readonly id: string
        }
      | {
          /** {@link Metadata.idempotencyKey}. */
          readonly idempotencyKey: string
        },
  ): Promise<readonly RecordedEvent[]>

  /**
   * Calls `wake` soon after new events can be read, whichever handle added them, and sometimes without
   * any. Subscribers also poll, without it too.
   *
   * @returns a function that ends the calls; it may be called again
   */
  onAppend?(wake: () => void): () => void
}

/** A second port of a store, for copies. */
export interface EventRestore {
  /**
   * Records `events` as they are, with their versions, positions and idempotency keys, all or none, and
   * calls the listeners of {@link EventStore.onAppend}. Later appends lie above them, also when they are
   * ahead of the clock.
   *
   * Rejects events that do not lie above the store's last position in rising order, do not continue
   * the versions of their streams, or use an idempotency key for a second append. Our stores keep
   * positions below 2^53, which time reaches in 2255.
   */
  restore(events: readonly RecordedEvent[]): Promise<void>
}

/** Another port of a store, for progress. */
export interface EventCount {
  /** How many events lie above `after`, which may be any integer. */
  countAfter(after: Position): Promise<number>
}

/** Whether an append that failed may have been recorded nevertheless. */
export type FaultOutcome = 'not_recorded' | 'unknown'

/**
 * A store rejects with this error when it cannot work: it is locked, full, unreachable or closed.
 *
 * By `outcome`, an append was certainly not recorded and can be sent again, or it may have been recorded, which
 * `findAppend` shows. The library reads `outcome` and not the class, so a store of a host may reject with any
 * error that has one. In CommonJS each subpath has a class of its own: `instanceof` works with that of the
 * subpath of the store.
 */
export class StoreFault extends Error {
  override readonly name = 'StoreFault'
  /** Whether the append may have been recorded nevertheless. */
  readonly outcome: FaultOutcome

  /** How long to wait before another try, in milliseconds; absent when time will not help. */
  declare retryAfter?: number

  constructor(message: string, outcome: FaultOutcome, cause?: unknown) {
    super(message, { cause })
    this.outcome = outcome
  }
}

/** The `outcome` of a rejection; undefined when it has none. */
export const outcomeOf = (thrown: unknown): FaultOutcome | undefined => {
  const outcome = fieldOf(thrown, 'outcome')
  return outcome === 'not_recorded' || outcome === 'unknown' ? outcome : undefined
}

/** The `retryAfter` of a rejection; undefined when it has none. */
export const retryAfterOf = (thrown: unknown): number | undefined => {
  const retryAfter = fieldOf(thrown, 'retryAfter')
  return typeof retryAfter === 'number' ? retryAfter : undefined
}
