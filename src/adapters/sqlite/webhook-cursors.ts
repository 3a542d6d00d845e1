import type { StoredCursor, WebhookCursors } from '../../ports/webhook-cursors.js'
import { checkNames } from '../store/check-options.js'
import { openConnection } from './connection.js'
import type { Database } from './database.js'

/** Options of cursors in an SQLite file. */
export interface SqliteCursorsOptions {
  /** How long, in milliseconds, another process may keep the file locked; 10,000 when absent. As of `openSqlite`. */
  readonly busyTimeout?: number | undefined
}

/** Cursors in an SQLite file in use. */
export interface SqliteCursors extends WebhookCursors {
  /** Closes the file. Later calls reject. */
  readonly close: () => Promise<void>
  /** `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const CREATE_TABLE = `CREATE TABLE IF NOT EXISTS webhook_cursor (
  endpoint TEXT PRIMARY KEY,
  version INTEGER NOT NULL,
  state TEXT,
  holder TEXT,
  until INTEGER NOT NULL
) STRICT`

type CursorRow = readonly [
  version: number,
  state: string | null,
  holder: string | null,
  until: number,
]

/**
 * Cursors of `claviger/webhooks` in the SQLite file at `path`, which may be that of `openSqlite`. Several processes of one
 * machine share it; leases are measured by its clock. The table `webhook_cursor` is made when it is missing.
 *
 * @throws as `openSqlite` does
 */
export const sqliteCursors = (path: string, options: SqliteCursorsOptions = {}): SqliteCursors => {
  checkNames('sqliteCursors', options, ['busyTimeout'])
  const connection = openConnection(path, options)
  let hasTable = false
  const write = <Value>(work: (database: Database) => Value): Promise<Value> =>
    connection.write((database) => {
      if (!hasTable) database.script(CREATE_TABLE)
      const value = work(database)
      hasTable = true
      return value
    })
  const read = async (endpoint: string): Promise<StoredCursor> => {
    if (!hasTable) await write(() => undefined)
    return connection.query((database) => find(database, endpoint))
  }
  const close = async () => connection.close()
  return {
    read,
    lease: (endpoint, holder, milliseconds) =>
      write((database) => {
        const now = Date.now()
        const given = database.run(
          `INSERT INTO webhook_cursor (endpoint, version, holder, until) VALUES (?, 0, ?, ?)
           ON CONFLICT (endpoint) DO UPDATE SET holder = excluded.holder, until = excluded.until
           WHERE holder IS NULL OR holder = excluded.holder OR until <= ?`,
          endpoint,
          holder,
          now + milliseconds,
          now,
        )
        return given ? find(database, endpoint) : undefined
      }),
    write: (endpoint, { state, version, holder }) =>
      write((database) => {
        if (version === 0)
          database.run(
            `INSERT INTO webhook_cursor (endpoint, version, until) VALUES (?, 0, 0) ON CONFLICT DO NOTHING`,
            endpoint,
          )
        const written = database.run(
          `UPDATE webhook_cursor SET state = ?, version = version + 1 WHERE endpoint = ? AND version = ?
           AND (? IS NULL OR (holder = ? AND until > ?))`,
          state,
          endpoint,
          version,
          holder ?? null,
          holder ?? null,
          Date.now(),
        )
        return written
      }),
    release: async (endpoint, holder) => {
      await write((database) =>
        database.run(
          'UPDATE webhook_cursor SET holder = NULL, until = 0 WHERE endpoint = ? AND holder = ?',
          endpoint,
          holder,
        ),
      )
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

const find = (database: Database, endpoint: string): StoredCursor => {
  const text = 'SELECT version, state, holder, until FROM webhook_cursor WHERE endpoint = ?'
  const [row] = database.rows<CursorRow>(text, endpoint)
  if (row === undefined) return { version: 0 }
  const [version, state, holder, until] = row
  const remaining = until - Date.now()
  return {
    version,
    ...(state !== null && { state }),
    ...(holder !== null && remaining > 0 && { lease: { holder, remaining } }),
  }
}
