import type { Socket } from 'node:net'
import type pg from 'pg'
import type { PostgresAddress, PostgresOptions } from '../options.js'
import { processOf } from './connection.js'
import type { Driver } from './driver.js'

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000
const DEFAULT_STATEMENT_TIMEOUT_MS = 30_000

/** Longest wait for an answer after the timeout of its statement, in milliseconds. */
const MAX_ANSWER_DELAY_MS = 5_000

/** Longest wait for the end of a connection, in milliseconds. */
export const CLOSE_TIMEOUT_MS = 1_000

/** Longest timeout, in milliseconds: with much more, a timer fires at once. */
const MAX_TIMEOUT_MS = 2_000_000_000

type OwnAddress = Omit<Exclude<PostgresAddress, { readonly pool: pg.Pool }>, 'pool'>

/**
 * A pool of our own. It does not keep the program alive while it is idle.
 *
 * @param stream - makes the socket of a connection
 */
export const ownPool = (
  { Pool, Client }: Driver,
  address: OwnAddress,
  stream: () => Socket,
): pg.Pool => {
  const pool = new Pool({
    ...clientConfig(address),
    stream,
    max: address.maxConnections,
    allowExitOnIdle: true,
    onConnect: setApplicationName,
  })
  // A lost idle connection is replaced when one is needed.
  pool.on('error', () => undefined)
  // Closing the pool waits for connections in use.
  pool.on('release', (_, client) => {
    if (pool.ending && client instanceof Client) limitClose(client)
  })
  return pool
}

/** Ends the connection of `client` after a timeout: a silent server would never end it. */
export const limitClose = (client: pg.Client): void => {
  const limit = setTimeout(() => client.connection.stream.destroy(), CLOSE_TIMEOUT_MS)
  client.once('end', () => clearTimeout(limit))
}

/** The parameters of an address that concern TLS. */
const TLS = /(?<=\?(.*&)?)(ssl|uselibpqcompat)[^&]*/g

/** The address without parameters of TLS, which may name files. */
export const withoutTls = (connectionString: string): string => connectionString.replace(TLS, '')

const clientConfig = (address: OwnAddress): pg.ClientConfig => {
  const { connectionString, ssl, connectTimeout, statementTimeout } = address
  const timeout = limited(statementTimeout ?? DEFAULT_STATEMENT_TIMEOUT_MS)
  return {
    // The driver would prefer the parameters of the address.
    connectionString: ssl === undefined ? connectionString : withoutTls(connectionString),
    ssl,
    connectionTimeoutMillis: limited(connectTimeout ?? DEFAULT_CONNECT_TIMEOUT_MS),
    statement_timeout: timeout,
    query_timeout: timeout + Math.min(timeout, MAX_ANSWER_DELAY_MS),
    keepAlive: true,
  }
}

/** `timeout` as a timer takes it, in milliseconds. */
export const limited = (timeout: number): number => Math.max(0, Math.min(timeout, MAX_TIMEOUT_MS))

/**
 * Opens the connection for LISTEN, which stays open. Not one of the host's pool, which may have few; nor one
 * through a pooler, unless the host named it for that: it may give the listening connection to another program.
 */
export const toListen =
  ({ Client }: Driver, options: PostgresOptions) =>
  async (): Promise<pg.Client> => {
    const client = new Client(listenConfig(options))
    // Without a listener, a lost connection would end the program.
    client.on('error', () => undefined)
    await client.connect()
    if (options.listenConnectionString === undefined && !(await isDirect(client))) {
      await client.end()
      throw new Error('A pooler may be unable to listen')
    }
    if (!options.pool) await setApplicationName(client)
    // Missing from the types of the driver.
    if ('unref' in client && typeof client.unref === 'function') client.unref()
    return client
  }

/**
 * Sets the application name of `client`, unless the host has set one; not behind a pooler, where the next program
 * would inherit it.
 */
const setApplicationName = async (client: pg.ClientBase): Promise<void> => {
  if (!(await isDirect(client))) return
  await client.query(`SELECT set_config('application_name', 'claviger', false)
    WHERE current_setting('application_name') = ''`)
}

/** Whether `client` is connected to the server itself. */
const isDirect = async (client: pg.ClientBase): Promise<boolean> => {
  const { rows } = await client.query('SELECT pg_backend_pid() AS process')
  return rows[0].process === processOf(client)
}

const listenConfig = (options: PostgresOptions): pg.ClientConfig => {
  const { listenConnectionString: connectionString } = options
  if (connectionString !== undefined) return clientConfig({ ...options, connectionString })
  return options.pool ? options.pool.options : clientConfig(options)
}
