import type { Pool } from 'pg'
import { ANY, checkOptions, withMethods } from '../../check-options.js'
import type { WebhookCursors } from '../../ports/webhook-cursors.js'
import type { Statement } from '../sql/dialect.js'
import { sqlCursors } from '../sql/webhook-cursors.js'
import { POOL_OF_HOST, poolConnections } from './connection/connections.js'
import { numbered } from './read-model/dialect.js'
import { ownTable } from './schema.js'

/** Options of webhook cursors in PostgreSQL. */
export interface PostgresCursorsOptions {
  /** A pool for the database. The host closes it and handles its `error` events. */
  readonly pool: Pool
  /** Schema of the table `webhook_cursor`; `claviger` when absent. See `openPostgres`. */
  readonly schema?: string | undefined
}

/**
 * Cursors of `claviger/webhooks` in PostgreSQL. The clock of the server measures the leases. The table
 * `webhook_cursor` is created when it is missing.
 *
 * @throws TypeError that names an option which is missing, unknown or of a wrong type
 * @throws RangeError when `schema` is not a valid name for a schema
 */
export const postgresCursors = (options: PostgresCursorsOptions): WebhookCursors => {
  checkOptions('postgresCursors', options, {
    required: { pool: withMethods(['connect'], 'must be a pg.Pool') },
    optional: { schema: ANY },
  })
  const { pool, schema = 'claviger' } = options
  const connections = poolConnections(pool, POOL_OF_HOST)
  const { table, prepare } = ownTable(
    connections,
    schema,
    'webhook_cursor',
    `endpoint text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, state text,
      holder text COLLATE "C", until timestamptz`,
  )
  const run = (method: 'read' | 'write') => async (statement: Statement) => {
    await prepare()
    const { sql, parameters } = statement
    return connections[method]({ text: numbered(sql), values: [...parameters] })
  }
  return sqlCursors(
    {
      table,
      now: 'now()',
      later: `now() + ? * interval '1 millisecond'`,
      remaining: 'extract(epoch FROM until - now()) * 1000',
      never: 'NULL',
    },
    { read: run('read'), write: run('write') },
  )
}
