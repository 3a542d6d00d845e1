import type { Socket } from 'node:net'
import type pg from 'pg'
import type { Client, ClientBase, Pool } from 'pg'
import { fieldOf } from '../../domain/values.js'
import type {
  PostgresConnection,
  PostgresDriver,
  PostgresPool,
  PostgresPoolClient,
  PostgresRow,
  PostgresSession,
} from './driver.js'
import { type OwnAddress, type PostgresAddress, withoutTls } from './options.js'

const DEFAULT_CONNECT_TIMEOUT_MS = 10_000
const DEFAULT_STATEMENT_TIMEOUT_MS = 30_000

/** Longest wait for an answer after the timeout of its statement, in milliseconds. */
const MAX_ANSWER_DELAY_MS = 5_000

/** Longest wait for the end of a connection, in milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000

/** Longest timeout, in milliseconds: with much more, a timer fires at once. */
const MAX_TIMEOUT_MS = 2_000_000_000

/** The parts of the package `pg`, and of its sockets, that the library uses. */
export type Pg = Pick<typeof pg, 'Client' | 'Pool'> & { readonly Socket: typeof Socket }

/** A driver of `pg`, whose connections have the client for statements of the host. */
export interface PgDriver extends PostgresDriver {
  connect(onNotice: (notice: unknown) => void): Promise<PgConnection>
}

interface PgConnection extends PostgresConnection {
  client(): PostgresPoolClient
}

/** Loads `pg`, which a host installs beside this library. @throws Error when it is missing */
export const loadPg = async (): Promise<Pg> => {
  try {
    const [{ default: pg }, { Socket }] = await Promise.all([import('pg'), import('node:net')])
    return { Client: pg.Client, Pool: pg.Pool, Socket }
  } catch (cause) {
    throw new Error('claviger/postgres needs the driver of PostgreSQL: npm install pg', { cause })
  }
}

/** The driver of an address whose options were checked. @throws Error when it needs `pg`, which is not installed */
export const openDriver = async (
  address: PostgresAddress,
  {
    listenConnectionString,
    isReplica = false,
  }: { readonly listenConnectionString?: string | undefined; readonly isReplica?: boolean } = {},
): Promise<PostgresDriver> => {
  if (address.driver) return address.driver
  if (address.pool) return poolDriver(address.pool, listenConnectionString)
  return ownDriver(await loadPg(), address, isReplica, listenConnectionString)
}

/**
 * The driver of a pool of our own. It does not keep the program alive while it is idle.
 *
 * @param isReplica - a silent standby would delay the end until the timeout of its statement
 */
export const ownDriver = (
  pg: Pg,
  address: OwnAddress,
  isReplica: boolean,
  listenConnectionString?: string,
): PgDriver => {
  const { pool, destroySockets } = ownPool(pg, address)
  const connectionString = listenConnectionString ?? address.connectionString
  return {
    ...driverOf(pool, 'raise maxConnections'),
    listen: listenBy(async () => {
      const client = new pg.Client(clientConfig({ ...address, connectionString }))
      await connectToListen(client, listenConnectionString !== undefined)
      await setApplicationName(client)
      return client
    }),
    close: () => {
      if (isReplica) setTimeout(destroySockets, CLOSE_TIMEOUT_MS).unref()
      return pool.end()
    },
  }
}

/**
 * The driver of a pool of the host, which stays open. It listens on another connection, made with the options of the
 * pool or to `listenConnectionString`.
 */
export const poolDriver = (pool: PostgresPool, listenConnectionString?: string): PgDriver => {
  const driver = driverOf(pool, 'raise its max, or give claviger a pool of its own')
  const Client = clientOf(pool)
  if (Client === undefined) return driver
  return {
    ...driver,
    listen: listenBy(async () => {
      const isNamed = listenConnectionString !== undefined
      const client = new Client(
        isNamed
          ? clientConfig({ connectionString: listenConnectionString })
          : (pool.options as pg.ClientConfig),
      )
      await connectToListen(client, isNamed)
      return client
    }),
  }
}

/** The class of the clients of a pool. The types of `pg` lack it. */
const clientOf = (pool: PostgresPool): typeof Client | undefined => {
  const found = fieldOf(pool, 'Client')
  return typeof found === 'function' ? (found as typeof Client) : undefined
}

/** @param remedy - what a host can do when there are too few connections */
const driverOf = (pool: PostgresPool, remedy: string): PgDriver => {
  const sessions = new WeakMap<PostgresPoolClient, PostgresSession>()
  return {
    name: 'pg',
    connect: async (onNotice) => {
      const client = await clientFrom(pool, remedy)
      const session = sessions.get(client) ?? { process: processOf(client) }
      sessions.set(client, session)
      // Without a listener, a lost connection would end the program; its statement rejects anyway.
      client.on('error', ignore)
      client.on('notice', onNotice)
      return {
        client: () => client,
        session: () => session,
        rows: async ({ text, values, name }) => {
          const statement = {
            text,
            values: values as string[],
            rowMode: 'array' as const,
            types: AS_TEXT,
          }
          const { rows } = await client.query(
            name === undefined ? statement : { ...statement, name },
          )
          return rows as PostgresRow[]
        },
        release: (isBroken) => {
          client.off('error', ignore)
          client.off('notice', onNotice)
          client.release(isBroken)
        },
      }
    },
  }
}

const AS_TEXT = { getTypeParser: () => (value: string) => value }

const ignore = (): void => undefined

/** The process of the server according to `client`: behind a pooler a wrong one, or none, which is 0. */
const processOf = (client: object): number =>
  // Missing from the types of the driver.
  Number(fieldOf(client, 'processID') ?? 0)

/** Longest wait for a connection of a pool that sets no limit itself, in milliseconds. */
const MAX_WAIT_MS = 10_000

/** A client of `pool`, to be released. Rejects when all are in use for too long. */
const clientFrom = (pool: PostgresPool, remedy: string): Promise<PostgresPoolClient> => {
  const { max = 0, connectionTimeoutMillis = MAX_WAIT_MS } = pool.options
  const isExhausted = pool.idleCount <= pool.waitingCount && pool.totalCount >= max
  // Before the timeout of the pool, whose error does not say what it waited for. 0 means no timeout.
  const wait = isExhausted ? connectionTimeoutMillis : 0
  if (wait <= 0) return pool.connect()
  return new Promise((resolve, reject) => {
    const says = `The pool has no free connection, all ${max} are in use: ${remedy}`
    let isLate = false
    const limit = setTimeout(() => {
      isLate = true
      reject(new Error(says))
    }, wait).unref()
    pool.connect().then((client) => {
      clearTimeout(limit)
      if (isLate) client.release(false)
      else resolve(client)
    }, reject)
  })
}

/** @returns also `destroySockets`, which ends all connections, even those that are being opened or are in use */
const ownPool = (
  { Pool, Client, Socket }: Pg,
  address: OwnAddress,
): { readonly pool: Pool; readonly destroySockets: () => void } => {
  const sockets = new Set<InstanceType<typeof Socket>>()
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
  pool.on('error', ignore)
  // The pool stops listening to a connection before it is closed, and the server may end it first.
  pool.on('connect', (client) => client.on('error', ignore))
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
const limitClose = (client: Client): void => {
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
const limited = (timeout: number): number => Math.max(0, Math.min(timeout, MAX_TIMEOUT_MS))

/** Listens by clients that `connect` opens, each on a connection of its own that stays open. */
const listenBy =
  (connect: () => Promise<Client>): NonNullable<PostgresDriver['listen']> =>
  async (channel, wake, lost) => {
    const client = await connect()
    const end = async () => {
      limitClose(client)
      await client.end()
    }
    try {
      client.on('notification', wake)
      client.on('error', lost)
      client.on('end', lost)
      await client.query(`LISTEN "${channel}"`)
    } catch (error) {
      await end()
      throw error
    }
    wake()
    return end
  }

/**
 * Connects a client for LISTEN. It is not taken from the host's pool, which may have few. A pooler may give the
 * listening connection to another program, so it is refused unless the host named it for listening.
 */
const connectToListen = async (client: Client, isNamed: boolean): Promise<void> => {
  // Without a listener, a lost connection would end the program.
  client.on('error', ignore)
  await client.connect()
  if (!isNamed && !(await isDirect(client))) {
    await client.end()
    throw new Error('A pooler may be unable to listen')
  }
  // Missing from the types of the driver.
  if ('unref' in client && typeof client.unref === 'function') client.unref()
}

/**
 * Sets the application name of `client`, unless the host has set one. Behind a pooler the next program would inherit
 * it, so it is not set there.
 */
const setApplicationName = async (client: ClientBase): Promise<void> => {
  if (!(await isDirect(client))) return
  await client.query(`SELECT set_config('application_name', 'claviger', false)
    WHERE current_setting('application_name') = ''`)
}

/** Whether `client` is connected to the server itself. */
const isDirect = async (client: ClientBase): Promise<boolean> => {
  const { rows } = await client.query('SELECT pg_backend_pid() AS process')
  return rows[0].process === processOf(client)
}
