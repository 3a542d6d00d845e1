import type { Result } from 'neverthrow'
import type { Message } from '../domain/message.js'
import { fieldOf, type StreamId } from '../domain/values.js'

/** Number of events in a stream; 0 for a stream that does not exist. */
export type Version = number

/**
 * Position of an event in the order of all events of one store. It contains the time at which the event was recorded:
 * microseconds since the Unix epoch, or the previous position plus one, whichever is later. Rises strictly in commit
 * order, even when a clock runs backwards.
 */
export type Position = bigint

/** The time of `position`, in whole milliseconds. */
export const timeOf = (position: Position): Date =>
  // `Date` drops the fraction. A number is exact up to the year 2255, and three times as fast as dividing a bigint.
  new Date(Number(position) / 1000)

/** The user who acted, as the host authenticated them. */
export interface Actor {
  /** Opaque to the library. It stays in the log forever. */
  readonly userId: string
  /** The organization of the user, which may differ from the organization of the changed objects. */
  readonly orgId: string
}

/** The actor, organization and request of an append; stored with each of its events. */
export interface Metadata {
  /** The user who made the request. */
  readonly actor: Actor
  /** Organization that owns the changed objects; the names of their streams contain it. */
  readonly resourceOwner: string
  /** The host's id of the request, for tracing; at most 255 characters. */
  readonly correlationId?: string
  /** Why the change was made: 1 to 500 characters. */
  readonly reason?: string
  /** `<orgId>+<key>`; a store records at most one append under it. */
  readonly idempotencyKey?: string
  /** SHA-256 of the command that `idempotencyKey` was used for, in base64url. */
  readonly commandHash?: string
  /** `managedBy` of the desired state that recorded it. A desired state prunes only its own objects. */
  readonly managedBy?: string
  /** Version of that desired state, from 1. Older versions do not change the object. */
  readonly managedVersion?: number
  /**
   * Whether the desired state protects the object from this event on; only with `managedBy`. An event of the same
   * desired state without it ends the protection.
   */
  readonly protect?: true
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
  /** The stream of the event. */
  readonly stream: StreamId
  /** Version of the stream after this event: 1 for its first. */
  readonly version: Version
  /** Its position in the log, which contains its time. */
  readonly position: Position
  /** The metadata of its append. */
  readonly metadata: Metadata
}

/** Events for one stream, recorded only if the stream has not changed since it was read. */
export interface StreamWrite {
  /** The stream that is written or guarded. */
  readonly stream: StreamId
  /** Version of the stream that the decision was based on; 0 for a stream that must not exist yet. */
  readonly expectedVersion: Version
  /** May be empty: then the write only checks the version of the stream. */
  readonly events: readonly NewEvent[]
}

/** The writes of one command: all are recorded or none. */
export interface Append {
  /** ULID, with which a writer finds its append after an unknown outcome. */
  readonly id: string
  /** Each stream at most once; at most {@link MAX_WRITES}. */
  readonly writes: readonly StreamWrite[]
  /** Stored with each of the events. */
  readonly metadata: Metadata
  /** Runs first, in the same transaction. Only for a store that has {@link EventStore.transactions}. */
  readonly inTransaction?: InTransaction | undefined
}

/**
 * A function of the host that writes rows in the transaction of an append. `inTransaction` of `claviger/postgres`,
 * `claviger/sqlite` and `claviger/cloudflare` makes one for their stores.
 */
export interface InTransaction {
  /** {@link EventStore.transactions} of the stores that can run it. */
  readonly transactions: string
  /** Runs the function with the store's client, whose type the store knows. */
  readonly run: (client: never) => unknown
}

/**
 * A store rejects with this error when the function of {@link Append.inTransaction} failed: its `cause` is what the
 * function threw. Nothing was recorded, and the rows of the function were rolled back.
 */
export class InTransactionFailed extends Error {
  override readonly name = 'InTransactionFailed'
  /** Always `not_recorded`. */
  readonly outcome = 'not_recorded'
  /** Set if the store refuses the function itself: what it must do instead. */
  readonly objection: string | undefined

  constructor(cause: unknown, objection?: string) {
    super('The function of inTransaction failed', { cause })
    this.objection = objection
  }
}

/** Most writes of one append: a project and a thousand of its roles. */
export const MAX_WRITES = 1001

/** Most bytes (UTF-8) that the `data` of all events of one append take as JSON: 4 MiB. */
export const MAX_APPEND_BYTES = 4 * 1024 * 1024

/**
 * Most bytes (UTF-8) of every other text of an append: stream names, event types, ids and keys.
 * Every database can index this much.
 */
export const MAX_NAME_BYTES = 2048

/** Another writer changed `stream` first. Load the stream and decide again. */
export interface VersionConflict {
  readonly kind: 'VersionConflict'
  /** The first in the order of `writes` whose version is not the expected one. */
  readonly stream: StreamId
}

/** An append with the same idempotency key was recorded before. */
export interface IdempotencyKeyUsed {
  readonly kind: 'IdempotencyKeyUsed'
}

/** A stream to read. */
export interface StreamRead {
  /** The stream. */
  readonly stream: StreamId
  /** Only events above this version are returned; 0 for all. */
  readonly afterVersion: Version
}

/**
 * Durable, append-only storage of events, supplied by the host.
 *
 * A lost race is a normal result; a store that cannot be reached rejects with a `StoreFault`. Run `eventStoreLaws` of
 * `claviger/laws` against your implementation.
 */
export interface EventStore {
  /**
   * Records all writes or none, and calls the listeners of {@link EventStore.onAppend}. Versions count from 1 in each
   * stream; positions rise strictly over all streams in commit order.
   *
   * Reports a used idempotency key first, then the first stream in the order of `writes` whose version is not the
   * expected one. An append without events records nothing and does not use its key.
   *
   * Rejects an invalid append before it writes anything: no writes, a stream named twice, more than {@link MAX_WRITES}
   * writes or {@link MAX_APPEND_BYTES} bytes, an expected version that is not a safe integer from 0, a schema version
   * that is not a safe integer from 1, or text outside `data` that is ill-formed, contains U+0000 or takes more than
   * 2,048 bytes.
   *
   * Appends of one handle to one stream are recorded in the order of the calls, even if the caller does not wait; an
   * append with `inTransaction` may come later.
   *
   * Runs `inTransaction` before it takes any lock on the log, in a transaction that it opens, and commits the rows with
   * the events, also if the append has no events. Rolls both back if the append is refused; rejects with
   * {@link InTransactionFailed} if the function fails.
   *
   * @returns the recorded events, in the order written
   */
  append(
    append: Append,
  ): Promise<Result<readonly RecordedEvent[], VersionConflict | IdempotencyKeyUsed>>

  /** Returns the events of `stream` above `afterVersion`, oldest first; `[]` if there are none. */
  readStream(stream: StreamId, afterVersion?: Version): Promise<readonly RecordedEvent[]>

  /**
   * Returns the events of each stream in `reads`, in that order, as {@link EventStore.readStream} returns them. At most
   * {@link MAX_WRITES} streams, each at most once. Optional: without it, the library reads streams one by one.
   */
  readStreams?(reads: readonly StreamRead[]): Promise<readonly (readonly RecordedEvent[])[]>

  /**
   * Returns at most `limit` events above `after`, lowest position first; `[]` when `limit` is 0 or less. Callers may
   * pass any integer as `after`, even below 0 or of more than 64 bits. Never returns a position while a lower one may
   * still be committed: a reader would miss that event forever.
   */
  readAll(after: Position, limit: number): Promise<readonly RecordedEvent[]>

  /** Returns the position of the last event; `0n` for an empty store. */
  lastPosition(): Promise<Position>

  /** Returns the events that an append recorded, in the order written; `[]` if it recorded none. */
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
   * Calls `wake` soon after any handle has added events, and sometimes without new events. Optional: subscribers also
   * poll.
   *
   * @returns a function that removes the listener; calling it twice is allowed
   */
  onAppend?(wake: () => void): () => void

  /**
   * The kind of {@link InTransaction} that `append` runs; absent in a store that cannot write rows of the host. Each of
   * our stores has its own kind.
   */
  readonly transactions?: string
}

/** The events of each stream in `reads`, in that order; each stream at most once. Reads them together if the store can. */
export const readStreams = async (
  store: EventStore,
  reads: readonly StreamRead[],
): Promise<readonly (readonly RecordedEvent[])[]> => {
  if (reads.length === 1 || store.readStreams === undefined)
    return Promise.all(
      reads.map(({ stream, afterVersion }) => store.readStream(stream, afterVersion)),
    )
  const found: (readonly RecordedEvent[])[] = []
  for (let from = 0; from < reads.length; from += MAX_WRITES)
    found.push(...(await store.readStreams(reads.slice(from, from + MAX_WRITES))))
  return found
}

/** An optional port of a store, for copies. */
export interface EventRestore {
  /**
   * Records all `events` as they are or none, with their versions, positions and idempotency keys, and calls the
   * listeners of {@link EventStore.onAppend}. Later appends get higher positions, even if the events are ahead of
   * the clock.
   *
   * Rejects events whose positions do not rise above the last position of the store, whose versions do not
   * continue their streams, or that use an idempotency key for a second append. Our stores also
   * refuse positions above 2^53 - 2^32, the time in 2255: later appends need those above.
   */
  restore(events: readonly RecordedEvent[]): Promise<void>
}

/** An optional port of a store, for progress. */
export interface EventCount {
  /** Returns the number of events above `after`, which may be any integer. */
  countAfter(after: Position): Promise<number>
}

/** Whether a failed append may have been recorded. */
export type FaultOutcome = 'not_recorded' | 'unknown'

/**
 * A store rejects with this error when it cannot work: it is locked, full, unreachable or closed.
 *
 * With the outcome `not_recorded` the append can be sent again; with `unknown` it may have been recorded, and
 * `findAppend` shows whether it was. The library reads `outcome` and not the class, so your own store may reject with
 * any error that has an `outcome`.
 */
export class StoreFault extends Error {
  override readonly name = 'StoreFault'
  /** Whether the append may have been recorded. */
  readonly outcome: FaultOutcome

  /** How long to wait before a retry, in milliseconds; absent if waiting does not help. */
  declare retryAfter?: number

  constructor(message: string, outcome: FaultOutcome, cause?: unknown) {
    super(message, { cause })
    this.outcome = outcome
  }
}

/** The `outcome` of a rejection; undefined without one. */
export const outcomeOf = (thrown: unknown): FaultOutcome | undefined => {
  const outcome = fieldOf(thrown, 'outcome')
  return outcome === 'not_recorded' || outcome === 'unknown' ? outcome : undefined
}

/** The `retryAfter` of a rejection; undefined without one. */
export const retryAfterOf = (thrown: unknown): number | undefined => {
  const retryAfter = fieldOf(thrown, 'retryAfter')
  return typeof retryAfter === 'number' ? retryAfter : undefined
}
