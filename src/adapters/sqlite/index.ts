import { BOOLEAN, checkOptions, FUNCTION, NUMBER, withMethods } from '../../check-options.js'
import type { EventCount, EventRestore, EventStore } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import type { SqliteHandle } from '../../ports/sqlite-handle.js'
import type { ListedCursors } from '../../ports/webhook-cursors.js'
import type { SyncDatabase } from '../sql/sqlite/dialect.js'
import { createViews, haveViews, rowsInAppend, sqliteReadModel } from '../sql/sqlite/read-model.js'
import { sqlCursors } from '../sql/webhook-cursors.js'
import { bringToHead } from '../store/bring-to-head.js'
import { type Clock, microsecondClock } from '../store/record-events.js'
import { inTransaction as inOne, LIMITS, openConnection } from './connection.js'
import { sqliteEventStore } from './event-store.js'
import { UnusableFile } from './faults.js'

export { type InTransaction, InTransactionFailed, StoreFault } from '../../ports/event-store.js'
export type { SqliteHandle, SqliteStatement, SqliteValue } from '../../ports/sqlite-handle.js'
export type { Clock } from '../store/record-events.js'
export { InvalidAppend, InvalidRestore } from '../store/record-events.js'
export { inTransaction } from './event-store.js'
export { UnusableFile }

/** Options of an SQLite file. */
export interface SqliteOptions {
  /** The clock of positions. Default: the system's time. */
  readonly now?: Clock | undefined
  /**
   * How long another process may lock the file before waiting calls reject with a {@link StoreFault}, in milliseconds.
   * Default: 10,000. The event loop is not blocked meanwhile.
   */
  readonly busyTimeout?: number | undefined
  /**
   * `false` refuses a missing file and never changes the table of events; it opens a file on a read-only medium, too.
   * Default: creates the file or brings it up to
   * date. The tables of the read model, and an index of the events by organization, are created at their first use.
   */
  readonly migrate?: boolean | undefined
  /**
   * Keeps the views `claviger_role_holder` and `claviger_permission_holder`: which users have which roles and permissions
   * now, for joins. The read model's rows are then written in the transaction that records events. The views are empty
   * while the read model is behind, as after a write of a process without this option. Default: `false`.
   */
  readonly views?: boolean | undefined
}

/** An SQLite file in use. */
export interface Sqlite {
  /** The event store, for `createIam`, `copyEvents` and `verify`. */
  readonly store: EventStore & EventRestore & EventCount
  /** The read model in the same file, shared by processes and kept across restarts. */
  readonly readModel: ReadModel
  /** Closes the file; a handle of the host stays open. Pending and later calls reject. */
  readonly close: () => Promise<void>
  /** `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Opens or creates an SQLite file. Several processes may open it. `:memory:` is a database that is lost when the
 * process ends. Instead of a path, you can pass an open handle of `node:sqlite`, `better-sqlite3`, `libsql` or
 * `bun:sqlite`: its settings are changed, and the host closes it.
 *
 * The database must be claviger's own, and the handle must not be in a transaction when a method is called. Never open
 * one file with two builds of SQLite in one process: each drops the locks of the other.
 *
 * Completed writes are on disk (`synchronous = FULL`), partly in the files `-wal` and `-shm` next to this one: copy and
 * move them together.
 *
 * @throws UnusableFile when the file cannot be opened, belongs to another program or to a newer version of this
 *   library, or is not up to date and `migrate` is `false`; StoreFault when it is damaged or not writable; TypeError
 *   when an option is unknown or of a wrong type, or the first parameter is neither a path nor a handle; Error for a
 *   path without `node:sqlite`
 */
export const openSqlite = (place: string | SqliteHandle, options: SqliteOptions = {}): Sqlite => {
  checkPlace('openSqlite', place)
  checkOptions('openSqlite', options, {
    optional: { now: FUNCTION, busyTimeout: NUMBER, migrate: BOOLEAN, views: BOOLEAN },
  })
  const { now, busyTimeout, migrate = true, views = false } = options
  const clock = microsecondClock(now)
  const prepare = (database: SyncDatabase): void => {
    if (views) prepareViews(database, migrate)
  }
  const connection = openConnection(place, { busyTimeout, migrate, prepare })
  const close = async () => connection.close()
  const withRows = views
    ? { ...rowsInAppend(LIMITS), bringToHead: () => bringToHead(store, readModel) }
    : undefined
  const store = sqliteEventStore(connection, clock, { withRows })
  const readModel: ReadModel = sqliteReadModel(connection, LIMITS, store)
  return {
    store,
    readModel,
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** @throws UnusableFile when views are missing that must not be created */
const prepareViews = (database: SyncDatabase, mayCreate: boolean): void => {
  if (haveViews(database, LIMITS)) return
  if (!mayCreate)
    throw new UnusableFile(
      'not_migrated',
      'The file has no views, or those of another version: open it once with views and without migrate: false',
    )
  inOne(database, 'BEGIN IMMEDIATE', () => createViews(database, LIMITS))
}

const checkPlace = (called: string, place: string | SqliteHandle): void => {
  const [isHandle] = withMethods(['prepare', 'exec'], '')
  if (typeof place !== 'string' && !isHandle(place))
    throw new TypeError(`${called} needs a path, or an open handle of SQLite`)
}

/** Options of webhook cursors in an SQLite file. */
export interface SqliteCursorsOptions {
  /** How long another process may lock the file, in milliseconds. Default: 10,000. See `openSqlite`. */
  readonly busyTimeout?: number | undefined
}

/** Webhook cursors in an SQLite file in use. */
export interface SqliteCursors extends ListedCursors {
  /** Closes the file. Later calls reject. */
  readonly close: () => Promise<void>
  /** `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const CURSORS = 'webhook_cursor'

const CREATE_CURSORS = `CREATE TABLE IF NOT EXISTS ${CURSORS} (
  endpoint TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  state TEXT,
  holder TEXT,
  until INTEGER NOT NULL
) STRICT`

/** Milliseconds since the Unix epoch. */
const NOW = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

/**
 * Stores the cursors of `claviger/webhooks` in an SQLite file (a path or an open handle, as in `openSqlite`), which may
 * be the same file. Several processes of one machine share it, and the machine's clock measures the leases. The first
 * write creates the table `webhook_cursor`.
 *
 * @throws the same errors as `openSqlite`
 */
export const sqliteCursors = (
  place: string | SqliteHandle,
  options: SqliteCursorsOptions = {},
): SqliteCursors => {
  checkPlace('sqliteCursors', place)
  checkOptions('sqliteCursors', options, { optional: { busyTimeout: NUMBER } })
  const connection = openConnection(place, options)
  let hasTable = false
  const isThere = (database: SyncDatabase): boolean => {
    hasTable ||= database.value('SELECT 1 FROM sqlite_schema WHERE name = ?', CURSORS) === 1
    return hasTable
  }
  const cursors = sqlCursors(
    {
      table: CURSORS,
      now: NOW,
      later: `${NOW} + ?`,
      remaining: `until - ${NOW}`,
      never: '0',
    },
    {
      read: async ({ sql, parameters }) => {
        return connection.query((database) =>
          isThere(database) ? database.rows(sql, ...parameters) : [],
        )
      },
      write: async ({ sql, parameters }) => {
        if (!hasTable) await connection.write((database) => database.script(CREATE_CURSORS))
        return connection.write((database) => database.rows(sql, ...parameters))
      },
    },
  )
  const close = async () => connection.close()
  return { ...cursors, close, [Symbol.asyncDispose]: close }
}
