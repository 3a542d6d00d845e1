import { Socket } from 'node:net'
import type pg from 'pg'
import { type Driver, type PostgresAddress, type PostgresOptions, withoutTls } from '../options.js'
import { processOf } from './connection.js'

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
 * @returns also `destroySockets`, which ends all connections, even those that are being opened or are in use
 */
export const ownPool = (
  { Pool, Client }: Driver,
  address: OwnAddress,
): { readonly pool: pg.Pool; readonly destroySockets: () => void } => {
  const sockets = new Set<Socket>()
  const pool = new Pool({
    ...clientConfig(address),
    stream: () => {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
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
  const destroySockets = () => {
    for (const socket of sockets) socket.destroy()
  }
  return { pool, destroySockets }
}

/** Ends the connection of `client` after a timeout: a silent server would never end it. */
export const limitClose = (client: pg.Client): void => {
  const limit = setTimeout(() => client.connection.stream.destroy(), CLOSE_TIMEOUT_MS)
  client.once('end', () => clearTimeout(limit))
}

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

/** `timeout` within the bounds of a timer, in milliseconds. */
export const limited = (timeout: number): number => Math.max(0, Math.min(timeout, MAX_TIMEOUT_MS))

/**
 * Opens a connection for LISTEN, which stays open. It is not taken from the host's pool, which may have few. A pooler
 * may give the listening connection to another program, so it is refused unless the host named it for listening.
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
 * Sets the application name of `client`, unless the host has set one. Behind a pooler the next program would inherit
 * it, so it is not set there.
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
