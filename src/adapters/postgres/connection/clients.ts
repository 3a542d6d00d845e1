import type pg from 'pg'
import { limitFarewell } from '../log/listen.js'
import type { PostgresAddress, PostgresOptions } from '../options.js'
import { processOf } from './connection.js'
import type { Driver } from './driver.js'

const DEFAULT_CONNECT_TIMEOUT = 10_000
const DEFAULT_STATEMENT_TIMEOUT = 30_000

/** Most that a server is waited for beyond the time for its statement, in milliseconds. */
const PATIENCE = 5_000

/** Longest timeout, in milliseconds: a timer takes little more, and goes off at once beyond that. */
const LONGEST = 2_000_000_000

type OwnAddress = Omit<Exclude<PostgresAddress, { readonly pool: pg.Pool }>, 'pool'>

/** A pool of our own. While it is idle it does not keep the program alive. */
export const ownPool = ({ Pool, Client }: Driver, address: OwnAddress): pg.Pool => {
  const pool = new Pool({
    ...clientConfig(address),
    max: address.maxConnections,
    allowExitOnIdle: true,
    onConnect: label,
  })
  // An idle connection that is lost is replaced when it is needed.
  pool.on('error', () => undefined)
  // Closing waits for the end of those that are lent.
  pool.on('release', (_, client) => {
    if (pool.ending && client instanceof Client) limitFarewell(client)
  })
  return pool
}

/** What an address says of TLS. */
const TLS = /(?<=\?(.*&)?)(ssl|uselibpqcompat)[^&]*/g

/** An address that says nothing of TLS, and so nothing of files. */
export const withoutTls = (connectionString: string): string => connectionString.replace(TLS, '')

const clientConfig = (address: OwnAddress): pg.ClientConfig => {
  const { connectionString, ssl, connectTimeout, statementTimeout } = address
  const timeout = limited(statementTimeout ?? DEFAULT_STATEMENT_TIMEOUT)
  return {
    // The driver would prefer what the address says.
    connectionString: ssl === undefined ? connectionString : withoutTls(connectionString),
    ssl,
    connectionTimeoutMillis: limited(connectTimeout ?? DEFAULT_CONNECT_TIMEOUT),
    statement_timeout: timeout,
    query_timeout: timeout + Math.min(timeout, PATIENCE),
    keepAlive: true,
  }
}

const limited = (timeout: number): number => Math.max(0, Math.min(timeout, LONGEST))

/**
 * How a connection is opened that is kept, for LISTEN. A pool of the host is not asked: it may lend few.
 * Nor is a pooler, unless it was named for that: what it makes listen may be lent to another program next.
 */
export const toListen =
  ({ Client }: Driver, options: PostgresOptions) =>
  async (): Promise<pg.Client> => {
    const client = new Client(listenConfig(options))
    // Without a listener the loss of the connection would end the program.
    client.on('error', () => undefined)
    await client.connect()
    if (options.listenConnectionString === undefined && !(await isDirect(client))) {
      await client.end()
      throw new Error('A pooler may be unable to listen')
    }
    if (!options.pool) await label(client)
    // Not in its types.
    if ('unref' in client && typeof client.unref === 'function') client.unref()
    return client
  }

/**
 * Names this library as the program in `client`, unless the host has named it; not behind a pooler, which
 * leaves the name to the next program that has none.
 */
const label = async (client: pg.ClientBase): Promise<void> => {
  if (!(await isDirect(client))) return
  await client.query(`SELECT set_config('application_name', 'claviger', false)
    WHERE current_setting('application_name') = ''`)
}

/** Whether `client` leads to the server itself. */
const isDirect = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query('SELECT pg_backend_pid() AS process')
  return rows[0].process === processOf(client)
}

const listenConfig = (options: PostgresOptions): pg.ClientConfig => {
  const { listenConnectionString: connectionString } = options
  if (connectionString !== undefined) return clientConfig({ ...options, connectionString })
  return options.pool ? options.pool.options : clientConfig(options)
}
