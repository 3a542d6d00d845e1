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
import { inTransaction, TRANSACTIONS } from './in-transaction.js'

export { type InTransaction, InTransactionFailed, StoreFault } from '../../ports/event-store.js'
export type { Clock } from '../store/record-events.js'
export { InvalidAppend, InvalidRestore } from '../store/record-events.js'
export type { DurableObjectStorage, SqlCursor } from './database.js'
export { UnusableStorage } from './database.js'
export { inTransaction }

/** Options of the storage of a Durable Object. */
export interface DurableObjectOptions {
  /** The clock of positions. Default: the runtime's time. */
  readonly now?: Clock | undefined
}

/** The log and the read model in the storage of a Durable Object. */
export interface DurableObjectStore {
  /** The event store, for `createIam`, `copyEvents` and `verify`. */
  readonly store: EventStore & EventRestore & EventCount
  /** The read model in the same storage, kept across restarts of the object. */
  readonly readModel: ReadModel
}

/** The listeners of each storage: an object may have several stores in it. */
const heard = new WeakMap<DurableObjectStorage, ReturnType<typeof listeners>>()

/**
 * Opens a store and a read model in the SQLite storage of a Durable Object, `ctx.storage`, and creates missing tables.
 * It need not be closed.
 *
 * The library uses the tables `events`, `event_parts`, `claviger_schema` and those beginning with `read_`; all other
 * names are yours. The object's responses and requests wait until everything written before is on disk. Cloudflare
 * limits the size of objects, rows and statements; event data over 1 MB is split.
 *
 * @throws UnusableStorage when a table `events` or `event_parts` belongs to the host, or a newer version of this
 *   library made the tables; StoreFault when the storage fails; TypeError when an option is unknown or of a wrong type,
 *   or `storage` has no SQLite
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
  const store = durableObjectEventStore(connection, clock, known, {
    transactions: TRANSACTIONS,
    client: storage.sql,
  })
  return { store, readModel: sqliteReadModel(connection, LIMITS, store) }
}
