import pg from 'pg'
import type { EventCount, EventRestore, EventStore } from '../../ports/event-store.js'
import type { ReadModel } from '../../ports/read-model.js'
import { type Connections, poolConnections } from './connections.js'
import { postgresEventStore } from './event-store.js'
import { limitFarewell } from './listen.js'
import { demandMigrated, migrate } from './migrations.js'
import { newsOf } from './news.js'
import type { PostgresAddress, PostgresOptions } from './options.js'
import { postgresReadModel } from './read-model.js'
import { channelOf, quotedSchema } from './schema-name.js'
import { UnusableDatabase } from './unusable-database.js'

/** A schema of a PostgreSQL database in use. */
export interface Postgres {
  readonly store: EventStore & EventRestore & EventCount
  /** In tables beside the events; one for all processes. */
  readonly readModel: ReadModel
  /**
   * Brings the tables up to date, as opening does unless told otherwise. Many processes may do so at
   * once. Rejects with {@link UnusableDatabase} when a newer version of this library made them.
   */
  readonly migrate: () => Promise<void>
  /** Ends the connections, other than those of the host's pool. Every later call rejects. */
  readonly close: () => Promise<void>
  readonly [Symbol.asyncDispose]: () => Promise<void>
}

const DEFAULT_CONNECT_TIMEOUT = 10_000
const DEFAULT_STATEMENT_TIMEOUT = 30_000

/** Most that a server is waited for beyond the time for its statement, in milliseconds. */
const PATIENCE = 5_000

/** Longest timeout, in milliseconds: a timer takes little more, and goes off at once beyond that. */
const LONGEST = 2_000_000_000

/**
 * Opens a schema of a PostgreSQL database, version 14 or later, and makes its tables unless told
 * otherwise. Any number of processes may have it open.
 *
 * What `append` has answered is on the server's disk, and on its synchronous standbys.
 *
 * Rejects with {@link UnusableDatabase}; with {@link StoreFault} when the server is away; with a
 * `RangeError` when `schema` is no name for a schema; with the reason of `signal` once that aborts.
 */
export const openPostgres = async (options: PostgresOptions): Promise<Postgres> => {
  const { schema = 'claviger', signal } = options
  const quoted = quotedSchema(schema)
  const pool = options.pool ?? ownPool(options)
  const connections = poolConnections(pool, async () => {
    if (options.pool === undefined) await pool.end()
  })
  const news = newsOf({ connections, connect: direct(options), channel: channelOf(schema) })
  const close = async () => {
    await Promise.all([news.close(), connections.close()])
  }
  const prepare = async () => {
    await demandSettings(connections)
    if (options.migrate === false) await demandMigrated(connections, schema)
    else await migrate(connections, schema)
  }
  try {
    await orAborted(prepare(), signal)
  } catch (error) {
    // Not awaited: what an aborted opening waits for may take its time.
    void close()
    throw error
  }
  return {
    store: postgresEventStore(connections, quoted, news),
    readModel: postgresReadModel(connections, quoted),
    migrate: () => migrate(connections, schema),
    close,
    [Symbol.asyncDispose]: close,
  }
}

/** Waits for `promise`, but no longer than until `signal` aborts; rejects with its reason then. */
const orAborted = (promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve, reject) => {
    const giveUp = () => reject(signal?.reason)
    if (signal?.aborted) giveUp()
    else signal?.addEventListener('abort', giveUp, { once: true })
    // A signal may live as long as the program.
    promise.then(resolve, reject).finally(() => signal?.removeEventListener('abort', giveUp))
  })

type OwnAddress = Omit<Exclude<PostgresAddress, { readonly pool: pg.Pool }>, 'pool'>

const ownPool = (address: OwnAddress): pg.Pool => {
  const pool = new pg.Pool({
    ...clientConfig(address),
    max: address.maxConnections,
    allowExitOnIdle: true,
    onConnect: (client) =>
      client.query('SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL READ COMMITTED'),
  })
  // An idle connection that is lost is replaced when it is needed.
  pool.on('error', () => undefined)
  // Closing waits for the end of those that are lent.
  pool.on('release', (_, client) => {
    if (pool.ending && client instanceof pg.Client) limitFarewell(client)
  })
  return pool
}

/** What an address says of TLS. */
const TLS = /(?<=\?(.*&)?)(ssl|uselibpqcompat)[^&]*/g

const clientConfig = (address: OwnAddress): pg.ClientConfig => {
  const { connectionString, ssl, connectTimeout, statementTimeout } = address
  const timeout = limited(statementTimeout ?? DEFAULT_STATEMENT_TIMEOUT)
  return {
    // The driver would prefer what the address says.
    connectionString: ssl === undefined ? connectionString : connectionString.replace(TLS, ''),
    ssl,
    connectionTimeoutMillis: limited(connectTimeout ?? DEFAULT_CONNECT_TIMEOUT),
    statement_timeout: timeout,
    query_timeout: timeout + Math.min(timeout, PATIENCE),
    keepAlive: true,
    fallback_application_name: 'claviger',
  }
}

const limited = (timeout: number): number => Math.max(0, Math.min(timeout, LONGEST))

/** Opens a connection that is kept, for LISTEN. A pool of the host is not asked: it may lend few. */
const direct = (options: PostgresOptions) => async (): Promise<pg.Client> => {
  const client = new pg.Client(listenConfig(options))
  // Without a listener the loss of the connection would end the program.
  client.on('error', () => undefined)
  await client.connect()
  // Not in its types.
  if ('unref' in client && typeof client.unref === 'function') client.unref()
  return client
}

const listenConfig = (options: PostgresOptions): pg.ClientConfig => {
  const { listenConnectionString: connectionString } = options
  if (connectionString !== undefined) return clientConfig({ ...options, connectionString })
  return options.pool ? options.pool.options : clientConfig(options)
}

/** @throws UnusableDatabase */
const demandSettings = async (connections: Connections): Promise<void> => {
  const [row] = await connections.read({
    text: `SELECT $1::int, current_setting('server_encoding'),
      current_setting('default_transaction_isolation')`,
    values: [1],
  })
  const [one, encoding, isolation] = row ?? []
  if (one !== '1') throw new UnusableDatabase('binary', 'The pool asks for binary values')
  if (encoding !== 'UTF8') {
    throw new UnusableDatabase('encoding', `The database keeps text as ${encoding}`)
  }
  if (isolation !== 'read committed') {
    throw new UnusableDatabase('isolation', `Transactions are ${isolation} by default`)
  }
}
