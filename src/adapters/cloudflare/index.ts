import { checkOptions, FUNCTION } from '../../check-options.js'
import type { EventCount, EventRestore, EventStore } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import { sqliteReadModel } from '../sql/sqlite/read-model.js'
import { type Clock, listeners, microsecondClock } from '../store/record-events.js'
import {
  checkStorage,
  connectionTo,
  type DurableObjectStorage,
  LIMITS,
  openDatabase,
  setUp,
} from './database.js'
import { durableObjectEventStore } from './event-store.js'

export { StoreFault } from '../../ports/event-store.js'
export { InvalidAppend, InvalidRestore } from '../store/check-append.js'
export type { Clock } from '../store/record-events.js'
export type { DurableObjectStorage, SqlCursor } from './database.js'
export { UnusableStorage } from './database.js'

/** Options of the storage of a Durable Object. */
export interface DurableObjectOptions {
  /** The clock of positions; the time of the runtime when absent. */
  readonly now?: Clock | undefined
}

/** The log and the read model in the storage of a Durable Object. */
export interface DurableObjectStore {
  /** For `createIam`, `copyEvents` and `verify`. */
  readonly store: EventStore & EventRestore & EventCount
  /** In the same storage, so it survives a restart of the object. */
  readonly readModel: ReadModel
}

/** The listeners of each storage: an object may have several stores in it. */
const heard = new WeakMap<DurableObjectStorage, ReturnType<typeof listeners>>()

/**
 * Uses the SQLite storage of a Durable Object, `ctx.storage`, and creates missing tables. There is nothing to close. Its
 * tables are `events`, `event_parts`, `claviger_schema`, and those that begin with `read_`; all others are yours.
 *
 * Responses and requests of the object wait until everything written before is on disk. Cloudflare limits the size of
 * an object, of a row and of a statement; the data of an event over 1 MB are split.
 *
 * @throws UnusableStorage when a table `events` or `event_parts` belongs to the host, or a newer version of this library
 *   made the tables; StoreFault when the storage fails; TypeError when an option is unknown or of a wrong type, or
 *   `storage` has no SQLite
 */
export const durableObjectStore = (
  storage: DurableObjectStorage,
  options: DurableObjectOptions = {},
): DurableObjectStore => {
  checkOptions('durableObjectStore', options, { optional: { now: FUNCTION } })
  checkStorage(storage)
  const clock = microsecondClock(options.now)
  const database = openDatabase(storage)
  storage.transactionSync(() => setUp(database))
  const connection = connectionTo(storage, database)
  const known = heard.get(storage) ?? listeners()
  heard.set(storage, known)
  const store = durableObjectEventStore(connection, clock, known)
  return { store, readModel: sqliteReadModel(connection, LIMITS, store) }
}
