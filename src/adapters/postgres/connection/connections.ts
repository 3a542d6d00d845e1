import type { Pool, PoolClient } from 'pg'
import { type FaultOutcome, StoreFault } from '../../../ports/event-store.js'
import type { Driver, PostgresAddress } from '../options.js'
import { CLOSE_TIMEOUT_MS, ownPool } from './clients.js'
import {
  type Connection,
  connectionOf,
  type Row,
  type Statement,
  StatementFailed,
} from './connection.js'
import {
  cutWaitFault,
  faultOf,
  isAnswer,
  isCutWait,
  isOtherIsolation,
  needsNewConnection,
} from './faults.js'

/**
 * The connections of one store. Everything rejects with a {@link StoreFault} when PostgreSQL cannot
 * be reached or reports a fault, and after `close`; a lost connection is replaced by the next call.
 * Settings last for one transaction: connections are shared, by the host or by a pooler.
 */
export interface Connections {
  /** Runs a statement that only reads. */
  readonly read: <Found extends Row>(statement: Statement) => Promise<readonly Found[]>
  /**
   * Runs a statement that writes, in a READ COMMITTED transaction of its own: one round trip, unless another
   * isolation is the default.
   */
  readonly write: <Found extends Row>(statement: Statement) => Promise<readonly Found[]>
  /**
   * Runs `work` so that all that it writes is recorded or nothing. Other errors of `work` are thrown as they
   * are, unless the connection was lost.
   */
  readonly transaction: <Value>(work: Work<Value>, begin?: Begin) => Promise<Value>
  readonly isClosed: () => boolean
  /** Waits for running calls and rejects those that wait for a connection, and later ones. */
  readonly close: () => Promise<void>
}

/** The work of one call: our statements use the connection, statements of the host the client. */
type Work<Value> = (connection: Connection, client: PoolClient) => Promise<Value>

/**
 * How a transaction begins: each statement sees what was committed before it, or all see the same moment. A read
 * model can be rebuilt, so its commit need not wait for the disk.
 */
export type Begin =
  | 'BEGIN ISOLATION LEVEL READ COMMITTED'
  | 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off'
  | 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** Without it, a machine that is cut off would hold its locks for hours. */
const IDLE_LIMIT = '; SET LOCAL idle_in_transaction_session_timeout = 20000'

/**
 * The connections to an address.
 *
 * @param server - whether they may lead to a standby
 */
export const openConnections = (
  driver: Driver,
  address: PostgresAddress,
  server?: Pick<PoolOwner, 'mayBeStandby'>,
): Connections => {
  if (address.pool) return poolConnections(address.pool, { ...POOL_OF_HOST, ...server })
  const { pool, destroySockets } = ownPool(driver, address)
  const end = () => {
    // A silent standby would delay the end until the timeout of its statement.
    if (server?.mayBeStandby) setTimeout(destroySockets, CLOSE_TIMEOUT_MS).unref()
    return pool.end()
  }
  return poolConnections(pool, { end, remedy: 'raise maxConnections', ...server })
}

/** The owner of a pool. */
export interface PoolOwner {
  /** Closes the pool, unless it is the host's. */
  readonly end: () => Promise<void>
  /** What a host can do when there are too few connections. */
  readonly remedy: string
  /** For a replica, which is only read. */
  readonly mayBeStandby?: true
}

/** The host owns the pool, which stays open. */
export const POOL_OF_HOST: PoolOwner = {
  end: async () => undefined,
  remedy: 'raise its max, or give claviger a pool of its own',
}

/** The connections of `pool`. */
export const poolConnections = (
  pool: Pool,
  { end, remedy, mayBeStandby }: PoolOwner,
): Connections => {
  let closing: Promise<void> | undefined
  const refusals = new Set<(fault: StoreFault) => void>()
  const opened = new WeakMap<PoolClient, Connection>()

  /** Runs `work` with a connection. `outcome` is the outcome of the work if the connection is lost now. */
  const lend = async <Value>(outcome: () => FaultOutcome, work: Work<Value>): Promise<Value> => {
    if (closing) throw closedFault()
    const client = await connectTo(pool, remedy, refusals)
    let isCut = false
    const onNotice = (notice: unknown): void => {
      isCut ||= isCutWait(notice)
    }
    // Without a listener, a lost connection would end the program; its statement rejects anyway.
    client.on('error', ignore)
    client.on('notice', onNotice)
    let connection = opened.get(client)
    let isUsable = true
    try {
      connection ??= await connectionOf(client, mayBeStandby)
      opened.set(client, connection)
      const value = await work(connection, client)
      if (isCut) throw cutWaitFault()
      return value
    } catch (error) {
      const hasBegun = connection !== undefined
      const isRolledBack = await rollBack(client, error)
      const isOurs = error instanceof StatementFailed
      isUsable = hasBegun && isRolledBack && !needsNewConnection(isOurs ? error.cause : error)
      if (isOurs) throw faultOf(error.cause, isRolledBack || !hasBegun ? 'not_recorded' : outcome())
      throw isRolledBack ? error : faultOf(error, 'not_recorded')
    } finally {
      client.off('error', ignore)
      client.off('notice', onNotice)
      client.release(!isUsable)
    }
  }

  const transaction = <Value>(
    work: Work<Value>,
    begin: Begin = 'BEGIN ISOLATION LEVEL READ COMMITTED',
  ): Promise<Value> => {
    let outcome: FaultOutcome = 'not_recorded'
    return lend(
      () => outcome,
      async (connection, client) => {
        await connection.rows({ text: begin + IDLE_LIMIT })
        const value = await work(connection, client)
        outcome = 'unknown'
        await connection.rows({ text: 'COMMIT' })
        return value
      },
    )
  }

  const run = <Found extends Row>(statement: Statement, outcome: FaultOutcome) =>
    lend(
      () => outcome,
      (connection) => connection.rows<Found>(statement),
    )

  /** Whether READ COMMITTED is the default isolation; assumed until a statement fails. */
  let isReadCommitted = true

  const write = async <Found extends Row>(statement: Statement): Promise<readonly Found[]> => {
    if (isReadCommitted) {
      try {
        return await run<Found>(statement, 'unknown')
      } catch (fault) {
        if (!isOtherIsolation(fault)) throw fault
        isReadCommitted = false
      }
    }
    return transaction((connection) => connection.rows<Found>(statement))
  }

  return {
    read: (statement) => run(statement, 'not_recorded'),
    write,
    transaction,
    isClosed: () => closing !== undefined,
    close: () => {
      closing ??= end()
      for (const refuse of refusals) refuse(closedFault())
      return closing
    },
  }
}

const ignore = (): void => undefined

/**
 * Rolls back what `client` was doing when it failed with `error`.
 *
 * @returns whether it succeeded; if not, the connection is lost, and a commit may have been made
 */
const rollBack = async (client: PoolClient, error: unknown): Promise<boolean> => {
  // After a fault other than an answer, the connection is lost, or busy with the statement.
  if (error instanceof StatementFailed && !isAnswer(error.cause)) return false
  try {
    await client.query('ROLLBACK')
    return true
  } catch {
    return false
  }
}

/** Longest wait for a connection of a pool that sets no limit itself, in milliseconds. */
const MAX_WAIT_MS = 10_000

/**
 * A connection of `pool`, to be released. Rejects with a {@link StoreFault} when there is none, or when its function
 * in `refusals` is called: a closed pool would never answer.
 *
 * @param remedy - what a host can do when there are too few connections
 */
const connectTo = (
  pool: Pool,
  remedy: string,
  refusals: Set<(fault: StoreFault) => void>,
): Promise<PoolClient> =>
  new Promise((resolve, reject) => {
    /** False when the wait has already ended. */
    const endWait = (): boolean => {
      clearTimeout(limit)
      return refusals.delete(refuse)
    }
    const refuse = (fault: StoreFault): void => {
      endWait()
      reject(fault)
    }
    const refuseExhausted = () =>
      refuse(
        faultOf(
          new Error(
            `The pool has no free connection, all ${pool.options.max} are in use: ${remedy}`,
          ),
          'not_recorded',
        ),
      )
    const isExhausted = pool.idleCount <= pool.waitingCount && pool.totalCount >= pool.options.max
    // Before the timeout of the pool, whose error does not say what it waited for. 0 means no timeout.
    const wait = isExhausted ? (pool.options.connectionTimeoutMillis ?? MAX_WAIT_MS) : 0
    const limit = wait > 0 ? setTimeout(refuseExhausted, wait) : undefined
    refusals.add(refuse)
    pool.connect().then(
      (client) => {
        if (endWait()) resolve(client)
        else client.release()
      },
      (error) => refuse(faultOf(error, 'not_recorded')),
    )
  })

const closedFault = (): StoreFault => new StoreFault('The store is closed', 'not_recorded')
