import { ANY, checkOptions } from '../../check-options.js'
import type { ListedCursors } from '../../ports/webhook-cursors.js'
import type { Statement } from '../sql/dialect.js'
import { sqlCursors } from '../sql/webhook-cursors.js'
import { connectionsOf } from './connection/connections.js'
import type { PostgresDriver } from './driver.js'
import { addressChecks, type PostgresAddress } from './options.js'
import { openDriver } from './pg.js'
import { numbered } from './read-model.js'
import { ownTable } from './schema.js'

/** Options of webhook cursors in PostgreSQL: the database, as in `openPostgres`. */
export type PostgresCursorsOptions = PostgresAddress & {
  /** Schema of the table `webhook_cursor`. Default: `claviger`. See `openPostgres`. */
  readonly schema?: string | undefined
}

/** Webhook cursors in PostgreSQL in use. */
export interface PostgresCursors extends ListedCursors {
  /** Closes the library's own connections; a pool or client of the host stays open. Later calls reject. */
  readonly close: () => Promise<void>
  /** `close`, for `await using`. */
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

/**
 * Stores the cursors of `claviger/webhooks` in PostgreSQL. The server's clock measures the leases. The first write
 * creates the table `webhook_cursor`.
 *
 * @throws TypeError when an option is missing, unknown or of a wrong type
 * @throws RangeError when `schema` is not a valid name for a schema
 */
export const postgresCursors = (options: PostgresCursorsOptions): PostgresCursors => {
  const { required, optional } = addressChecks(options)
  checkOptions('postgresCursors', options, { required, optional: { ...optional, schema: ANY } })
  const { schema = 'claviger' } = options
  const connections = connectionsOf(laterDriver(options))
  const { table, prepare, isThere } = ownTable(
    connections,
    schema,
    'webhook_cursor',
    `endpoint text COLLATE "C" PRIMARY KEY, version bigint NOT NULL, state text,
      holder text COLLATE "C", until timestamptz`,
  )
  const prepared = ({ sql, parameters }: Statement) => ({
    text: numbered(sql),
    values: parameters,
  })
  const cursors = sqlCursors(
    {
      table,
      now: 'now()',
      later: `now() + ?::double precision * interval '1 millisecond'`,
      remaining: 'extract(epoch FROM until - now()) * 1e3',
      never: 'NULL',
    },
    {
      read: async (statement) => ((await isThere()) ? connections.read(prepared(statement)) : []),
      write: async (statement) => {
        await prepare()
        return connections.write(prepared(statement))
      },
    },
  )
  const { close } = connections
  return { ...cursors, close, [Symbol.asyncDispose]: close }
}

/** The driver of an address, which is opened at the first call, because `pg` has to be loaded. */
const laterDriver = (address: PostgresAddress): PostgresDriver => {
  let opening: Promise<PostgresDriver> | undefined
  return {
    connect: async (onNotice) => {
      opening ??= openDriver(address)
      return (await opening).connect(onNotice)
    },
    close: async () => (await opening)?.close?.(),
  }
}
