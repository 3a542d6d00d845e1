import type { EventCount, EventRestore, EventStore } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import { sqliteReadModel } from '../sql/sqlite/read-model.js'
import { checkNames } from '../store/check-options.js'
import { type Clock, microsecondClock } from '../store/record-events.js'
import { LIMITS, openConnection } from './connection.js'
import { sqliteEventStore } from './event-store.js'

export { StoreFault } from '../../ports/event-store.js'
export { InvalidAppend, InvalidRestore } from '../store/check-append.js'
export type { Clock } from '../store/record-events.js'
export { UnusableFile } from './faults.js'
export {
  type SqliteCursors,
  type SqliteCursorsOptions,
  sqliteCursors,
} from './webhook-cursors.js'

/** Options of an SQLite file. */
export interface SqliteOptions {
  /** The clock of positions; the system's time when absent. */
  readonly now?: Clock | undefined
  /**
   * How long, in milliseconds, another process may keep the file locked before the calls that wait for
   * it reject with a {@link StoreFault}; 10,000 when absent. The event loop is not blocked meanwhile.
   */
  readonly busyTimeout?: number | undefined
  /**
   * `false` refuses a file that is missing, and leaves the table of the events as it is; otherwise the file is created
   * and brought up to date. Tables of the read model are created when they are first used.
   */
  readonly migrate?: boolean | undefined
}

/** An SQLite file in use. */
export interface Sqlite {
  /** For `createIam`, `copyEvents` and `verify`. */
  readonly store: EventStore & EventRestore & EventCount
  /** In the same file, so processes share it and it survives a restart. */
  readonly readModel: ReadModel
  /** Closes the file. Later calls, and those not answered yet, reject. */
  readonly close: () => Promise<void>
  /** `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Opens the SQLite file at `path`, or creates it; several processes may have it open. `:memory:` is a
 * database that ends with the program.
 *
 * What `append` has answered is on disk (`synchronous = FULL`), also in the files `-wal` and `-shm` beside this
 * one: copy and move them together.
 *
 * @throws UnusableFile when it cannot be opened, is no file of this library, is of a newer version of it, or
 *   `migrate` is `false` and there is something to create;
 *   StoreFault when it is damaged or cannot be written; TypeError when an option is unknown or of a wrong
 *   type; Error where there is no `node:sqlite`
 */
export const openSqlite = (path: string, options: SqliteOptions = {}): Sqlite => {
  checkNames('openSqlite', options, ['now', 'busyTimeout', 'migrate'])
  const { now, busyTimeout, migrate } = options
  const clock = microsecondClock(now)
  const connection = openConnection(path, { busyTimeout, migrate })
  const close = async () => connection.close()
  const store = sqliteEventStore(connection, clock)
  return {
    store,
    readModel: sqliteReadModel(connection, LIMITS, store),
    close,
    [Symbol.asyncDispose]: close,
  }
}
