import type { Pool } from 'pg'
import type { StoredCursor, WebhookCursors } from '../../../ports/webhook-cursors.js'
import { checkNames } from '../../store/check-options.js'
import type { Row } from '../connection/connection.js'
import { POOL_OF_HOST, poolConnections } from '../connection/connections.js'
import { ownTable } from './projection.js'

/** Options of cursors in PostgreSQL. */
export interface PostgresCursorsOptions {
  /** A pool for the database. The host closes it and handles its `error` events. */
  readonly pool: Pool
  /** Schema of the table `webhook_cursor`; `claviger` when absent. As of `openPostgres`. */
  readonly schema?: string | undefined
}

const COLUMNS = `endpoint text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, state text,
  holder text COLLATE "C", until timestamptz`

/** What is shown of a row. */
const SHOWN = `version, state, CASE WHEN until > now() THEN holder END,
  extract(epoch FROM until - now()) * 1000`

/**
 * Cursors of `claviger/webhooks` in PostgreSQL. Leases are measured by the clock of the server. The table
 * `webhook_cursor` is made when it is missing.
 *
 * @throws TypeError naming an option that is missing, unknown or of a wrong type
 * @throws RangeError when `schema` is no name for a schema
 */
export const postgresCursors = (options: PostgresCursorsOptions): WebhookCursors => {
  checkNames('postgresCursors', options ?? {}, ['pool', 'schema'])
  if (typeof options?.pool?.connect !== 'function') throw new TypeError('pool must be a pg.Pool')
  const { pool, schema = 'claviger' } = options
  const connections = poolConnections(pool, POOL_OF_HOST)
  const { table, prepare } = ownTable(connections, {
    schema,
    name: 'webhook_cursor',
    columns: COLUMNS,
  })
  const write = async (text: string, values: unknown[]): Promise<readonly Row[]> => {
    await prepare()
    return connections.write({ text, values })
  }
  return {
    read: async (endpoint) => {
      await prepare()
      const text = `SELECT ${SHOWN} FROM ${table} WHERE endpoint = $1`
      const [row] = await connections.read({ text, values: [endpoint] })
      return row === undefined ? { version: 0 } : shown(row)
    },
    lease: async (endpoint, holder, milliseconds) => {
      const text = `INSERT INTO ${table} AS c (endpoint, version, holder, until)
        VALUES ($1, 0, $2, now() + $3 * interval '1 millisecond')
        ON CONFLICT (endpoint) DO UPDATE SET holder = excluded.holder, until = excluded.until
        WHERE c.holder IS NULL OR c.holder = excluded.holder OR c.until <= now()
        RETURNING ${SHOWN}`
      const [row] = await write(text, [endpoint, holder, milliseconds])
      return row && shown(row)
    },
    write: async (endpoint, { state, version, holder }) => {
      const isFirst = version === 0 && holder === undefined
      const text = isFirst
        ? `INSERT INTO ${table} AS c (endpoint, version, state) VALUES ($1, 1, $2)
           ON CONFLICT (endpoint) DO UPDATE SET version = 1, state = excluded.state
           WHERE c.version = 0 RETURNING 1`
        : `UPDATE ${table} SET state = $2, version = version + 1 WHERE endpoint = $1 AND version = $3
           AND ($4::text IS NULL OR (holder = $4 AND until > now())) RETURNING 1`
      const values = isFirst ? [endpoint, state] : [endpoint, state, version, holder ?? null]
      return (await write(text, values)).length === 1
    },
    release: async (endpoint, holder) => {
      const text = `UPDATE ${table} SET holder = NULL, until = NULL WHERE endpoint = $1 AND holder = $2`
      await write(text, [endpoint, holder])
    },
  }
}

const shown = ([version, state, holder, remaining]: Row): StoredCursor => ({
  version: Number(version),
  ...(typeof state === 'string' && { state }),
  ...(typeof holder === 'string' && { lease: { holder, remaining: Number(remaining) } }),
})
