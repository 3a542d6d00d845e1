import { BOOLEAN, checkOptions, FUNCTION, NUMBER } from '../../check-options.js'
import type { EventCount, EventRestore, EventStore } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import type { WebhookCursors } from '../../ports/webhook-cursors.js'
import { sqliteReadModel } from '../sql/sqlite/read-model.js'
import { sqlCursors } from '../sql/webhook-cursors.js'
import { type Clock, microsecondClock } from '../store/record-events.js'
import { LIMITS, openConnection } from './connection.js'
import { sqliteEventStore } from './event-store.js'

export { StoreFault } from '../../ports/event-store.js'
export { InvalidAppend, InvalidRestore } from '../store/check-append.js'
export type { Clock } from '../store/record-events.js'
export { UnusableFile } from './faults.js'

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
   * `false` refuses a missing file and never changes the table of the events. Otherwise the file is created and brought
   * up to date. The tables of the read model are created at their first use.
   */
  readonly migrate?: boolean | undefined
}

/** An SQLite file in use. */
export interface Sqlite {
  /** For `createIam`, `copyEvents` and `verify`. */
  readonly store: EventStore & EventRestore & EventCount
  /** In the same file, so processes share it and it survives a restart. */
  readonly readModel: ReadModel
  /** Closes the file. Later calls and pending ones reject. */
  readonly close: () => Promise<void>
  /** `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Opens the SQLite file at `path`, or creates it. Several processes may have it open. `:memory:` is a
 * database that ends with the program.
 *
 * Appends that were answered are on disk (`synchronous = FULL`), partly in the files `-wal` and `-shm` beside
 * this one: copy and move them together.
 *
 * @throws UnusableFile when the file cannot be opened, belongs to another program or to a newer version of this
 *   library, or is not up to date and `migrate` is `false`; StoreFault when it is damaged or cannot be written;
 *   TypeError when an option is unknown or of a wrong type; Error without `node:sqlite`
 */
export const openSqlite = (path: string, options: SqliteOptions = {}): Sqlite => {
  checkOptions('openSqlite', options, {
    optional: { now: FUNCTION, busyTimeout: NUMBER, migrate: BOOLEAN },
  })
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

/** Options of webhook cursors in an SQLite file. */
export interface SqliteCursorsOptions {
  /** How long, in milliseconds, another process may keep the file locked; 10,000 when absent. See `openSqlite`. */
  readonly busyTimeout?: number | undefined
}

/** Webhook cursors in an SQLite file in use. */
export interface SqliteCursors extends WebhookCursors {
  /** Closes the file. Later calls reject. */
  readonly close: () => Promise<void>
  /** `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const CREATE_CURSORS = `CREATE TABLE IF NOT EXISTS webhook_cursor (
  endpoint TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  state TEXT,
  holder TEXT,
  until INTEGER NOT NULL
) STRICT`

/** Milliseconds since the Unix epoch. */
const NOW = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`

/**
 * Cursors of `claviger/webhooks` in the SQLite file at `path`, which may be a file of `openSqlite`. Several processes of
 * one machine share it, and its clock measures the leases. The table `webhook_cursor` is created when it is missing.
 *
 * @throws as `openSqlite` does
 */
export const sqliteCursors = (path: string, options: SqliteCursorsOptions = {}): SqliteCursors => {
  checkOptions('sqliteCursors', options, { optional: { busyTimeout: NUMBER } })
  const connection = openConnection(path, options)
  let hasTable = false
  const createTable = async (): Promise<void> => {
    if (!hasTable) await connection.write((database) => database.script(CREATE_CURSORS))
    hasTable = true
  }
  const cursors = sqlCursors(
    {
      table: 'webhook_cursor',
      now: NOW,
      later: `${NOW} + ?`,
      remaining: `until - ${NOW}`,
      never: '0',
    },
    {
      read: async ({ sql, parameters }) => {
        await createTable()
        return connection.query((database) => database.rows(sql, ...parameters))
      },
      write: async ({ sql, parameters }) => {
        await createTable()
        return connection.write((database) => database.rows(sql, ...parameters))
      },
    },
  )
  const close = async () => connection.close()
  return { ...cursors, close, [Symbol.asyncDispose]: close }
}
