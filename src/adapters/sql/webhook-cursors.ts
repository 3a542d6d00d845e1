import type { ListedCursors, StoredCursor } from '../../ports/webhook-cursors.js'
import type { Row, Statement } from './dialect.js'

/** How one database keeps webhook cursors: parts of SQL. */
export interface CursorDialect {
  /** Name of a table with the columns `endpoint`, `version`, `state`, `holder` and `until`. */
  readonly table: string
  /** The current time, in the type of `until`. */
  readonly now: string
  /** The time after a number of milliseconds, which is the parameter. */
  readonly later: string
  /** Milliseconds until `until`. */
  readonly remaining: string
  /** `until` of a row without a lease. */
  readonly never: string
}

/**
 * Webhook cursors in a table.
 *
 * @param run - runs one statement in a transaction of its own; the first write creates the table, a read before finds no rows
 */
export const sqlCursors = (
  { table, now, later, remaining, never }: CursorDialect,
  run: {
    readonly read: (statement: Statement) => Promise<readonly Row[]>
    readonly write: (statement: Statement) => Promise<readonly Row[]>
  },
): ListedCursors => {
  const returned = `version, state, CASE WHEN until > ${now} THEN holder END, ${remaining}`
  return {
    endpoints: async () => {
      const sql = `SELECT endpoint FROM ${table} WHERE version > 0`
      return (await run.read({ sql, parameters: [] })).map(([endpoint]) => String(endpoint))
    },
    read: async (endpoint) => {
      const sql = `SELECT ${returned} FROM ${table} WHERE endpoint = ?`
      const [row] = await run.read({ sql, parameters: [endpoint] })
      return row === undefined ? { version: 0 } : cursorOf(row)
    },
    lease: async (endpoint, holder, milliseconds) => {
      const sql = `INSERT INTO ${table} AS c (endpoint, version, holder, until) VALUES (?, 0, ?, ${later})
        ON CONFLICT (endpoint) DO UPDATE SET holder = excluded.holder, until = excluded.until
        WHERE c.holder IS NULL OR c.holder = excluded.holder OR c.until <= ${now}
        RETURNING ${returned}`
      const [row] = await run.write({ sql, parameters: [endpoint, holder, milliseconds] })
      return row && cursorOf(row)
    },
    write: async (endpoint, { state, version, holder }) => {
      const insert = {
        sql: `INSERT INTO ${table} AS c (endpoint, version, state, until) VALUES (?, 1, ?, ${never})
          ON CONFLICT (endpoint) DO UPDATE SET version = 1, state = excluded.state
          WHERE c.version = 0 RETURNING version`,
        parameters: [endpoint, state],
      }
      const update = {
        sql: `UPDATE ${table} SET state = ?, version = version + 1 WHERE endpoint = ? AND version = ?
          ${holder === undefined ? '' : `AND holder = ? AND until > ${now}`} RETURNING version`,
        parameters: [state, endpoint, version, ...(holder === undefined ? [] : [holder])],
      }
      const isFirst = version === 0 && holder === undefined
      return (await run.write(isFirst ? insert : update)).length === 1
    },
    release: async (endpoint, holder) => {
      const sql = `UPDATE ${table} SET holder = NULL, until = ${never} WHERE endpoint = ? AND holder = ?`
      await run.write({ sql, parameters: [endpoint, holder] })
    },
  }
}

const cursorOf = ([version, state, holder, remaining]: Row): StoredCursor => ({
  version: Number(version),
  ...(typeof state === 'string' && { state }),
  ...(typeof holder === 'string' && { lease: { holder, remaining: Number(remaining) } }),
})
