import { Socket } from 'node:net'
import type { Pool, PoolClient } from 'pg'
import type { FaultOutcome } from '../../../ports/event-store.js'
import type { PostgresAddress } from '../options.js'
import { CLOSE_TIMEOUT_MS, ownPool } from './clients.js'
import {
  type Connection,
  connectionOf,
  type Row,
  type Statement,
  StatementFailed,
} from './connection.js'
import type { Driver } from './driver.js'
import {
  cutWaitFault,
  faultOf,
  isAnswer,
  isCutWait,
  isOtherIsolation,
  needsNewConnection,
} from './faults.js'
import { closedFault, poolQueue } from './pool-queue.js'

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

/** The work of one call, with our statements or, through the client, those of a host. */
type Work<Value> = (connection: Connection, client: PoolClient) => Promise<Value>

/**
 * How a transaction begins: each statement sees what was committed before it, or all see one moment. The commit
 * of a read model, which can be built anew, need not wait for the disk.
 */
export type Begin =
  | 'BEGIN ISOLATION LEVEL READ COMMITTED'
  | 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off'
  | 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** Otherwise the locks of a machine that is cut off would be held for hours. */
const IDLE_LIMIT = '; SET LOCAL idle_in_transaction_session_timeout = 20000'

/** The owner of a pool. */
export interface PoolOwner {
  /** Closes the pool, unless it is the host's. */
  readonly end: () => Promise<void>
  /** What a host can do when there are too few connections. */
  readonly remedy: string
  /** Of a replica, which is only read. */
  readonly mayBeStandby?: true
}

/** The host as owner: its pool stays open. */
export const POOL_OF_HOST: PoolOwner = {
  end: async () => undefined,
  remedy: 'raise its max, or give claviger a pool of its own',
}

/** @see Connections */
export const poolConnections = (
  pool: Pool,
  { end, remedy, mayBeStandby }: PoolOwner,
): Connections => {
  let closing: Promise<void> | undefined
  const queue = poolQueue(pool, remedy)
  const opened = new WeakMap<PoolClient, Connection>()

  /** Runs `work` with a connection; `outcome` is that of an append when the connection is lost. */
  const lend = async <Value>(outcome: () => FaultOutcome, work: Work<Value>): Promise<Value> => {
    if (closing) throw closedFault()
    const client = await queue.connect()
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

  const run = (outcome: FaultOutcome) => {
    const state = () => outcome
    return <Found extends Row>(statement: Statement) =>
      lend(state, (connection) => connection.rows<Found>(statement))
  }
  const writeAlone = run('unknown')

  /** Whether READ COMMITTED is the default, as is assumed until a statement fails. */
  let isReadCommitted = true

  const write = async <Found extends Row>(statement: Statement): Promise<readonly Found[]> => {
    if (isReadCommitted) {
      try {
        return await writeAlone<Found>(statement)
      } catch (fault) {
        if (!isOtherIsolation(fault)) throw fault
        isReadCommitted = false
      }
    }
    return transaction((connection) => connection.rows<Found>(statement))
  }

  return {
    read: run('not_recorded'),
    write,
    transaction,
    isClosed: () => closing !== undefined,
    close: () => {
      closing ??= end()
      queue.refuse()
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
  const sockets = openSockets()
  const pool = ownPool(driver, address, sockets.open)
  const end = () => {
    // Nobody may wait for what a silent standby was asked: it would hold up the end until its timeout.
    if (server?.mayBeStandby) sockets.destroyAfter(CLOSE_TIMEOUT_MS)
    return pool.end()
  }
  return poolConnections(pool, { end, remedy: 'raise maxConnections', ...server })
}

/** The sockets of a pool, those of connections that are being made and in use included. */
const openSockets = () => {
  const sockets = new Set<Socket>()
  return {
    open: (): Socket => {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      return socket
    },
    destroyAfter: (milliseconds: number): void => {
      const destroyAll = () => {
        for (const socket of sockets) socket.destroy()
      }
      setTimeout(destroyAll, milliseconds).unref()
    },
  }
}
