import type { EventCount, EventRestore, EventStore } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import { sqliteReadModel } from '../sql/sqlite/read-model.js'
import { checkNames } from '../store/check-options.js'
import { type Clock, microsecondClock } from '../store/clock.js'
import { listeners } from '../store/listeners.js'
import { connectionTo, LIMITS, openDatabase } from './database.js'
import { durableObjectEventStore } from './log/event-store.js'
import { setUp } from './schema.js'
import { checkStorage, type DurableObjectStorage } from './storage.js'

export { StoreFault } from '../../ports/store-fault.js'
export { InvalidAppend } from '../store/check-append.js'
export { InvalidRestore } from '../store/check-restore.js'
export type { Clock } from '../store/clock.js'
export type { DurableObjectStorage, SqlCursor } from './storage.js'
export { UnusableStorage } from './unusable-storage.js'

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
 * Uses the SQLite storage of a Durable Object, `ctx.storage`, and creates the tables that are missing. There is nothing
 * to close. The tables are called `events`, `event_parts`, `claviger_schema`, and what begins with `read_`; others are
 * yours.
 *
 * An answer that leaves the object, or a request that it sends, waits until all that was written before is on disk.
 * What an object may hold, and how large a row and a statement may be, is Cloudflare's limit; data of an event over
 * 1 MB are split.
 *
 * @throws UnusableStorage when a table `events` or `event_parts` is not of this library, or the tables are of a newer
 *   version of it; StoreFault when the storage fails; TypeError when an option is unknown or of a wrong type, or
 *   `storage` has no SQLite
 */
export const durableObjectStore = (
  storage: DurableObjectStorage,
  options: DurableObjectOptions = {},
): DurableObjectStore => {
  checkNames('durableObjectStore', options, ['now'])
  checkStorage(storage)
  const clock = microsecondClock(options.now)
  const database = openDatabase(storage)
  storage.transactionSync(() => setUp(database))
  const connection = connectionTo(storage, database)
  const known = heard.get(storage) ?? listeners()
  heard.set(storage, known)
  const store = durableObjectEventStore({ connection, clock, listeners: known })
  return { store, readModel: sqliteReadModel(connection, LIMITS, store) }
}
