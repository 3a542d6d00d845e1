import type { Pool, PoolClient } from 'pg'
import { type FaultOutcome, StoreFault } from '../../ports/store-fault.js'
import { faultOf, isAnswer, isSpoilt, standbyFault } from './faults.js'
import { type Row, type Session, type Statement, StatementFailed, sessionOf } from './session.js'

/**
 * The connections of one store. Everything rejects with a {@link StoreFault} when PostgreSQL cannot
 * be reached or reports a fault, and after `close`; a lost connection is replaced by the next call.
 */
export interface Connections {
  /** Runs a statement that only reads. */
  readonly read: <Found extends Row>(statement: Statement) => Promise<readonly Found[]>
  /** Runs a statement that writes, in a transaction of its own: one round trip. */
  readonly write: <Found extends Row>(statement: Statement) => Promise<readonly Found[]>
  /**
   * Runs `work` so that all that it writes is recorded or nothing. What `work` throws of its own is thrown on
   * as it is, unless the connection was lost.
   */
  readonly transaction: <Value>(work: Work<Value>, begin?: Begin) => Promise<Value>
  readonly isClosed: () => boolean
  /** Waits for what is being done and refuses what waits for a connection; nothing is done after it. */
  readonly close: () => Promise<void>
}

/** What is done with a connection, by statements of ours or those of a host. */
type Work<Value> = (session: Session, client: PoolClient) => Promise<Value>

/**
 * How a transaction begins: every statement sees what was committed before it, or all one moment.
 * What can be made anew need not be on disk when it is committed.
 */
export type Begin =
  | 'BEGIN ISOLATION LEVEL READ COMMITTED'
  | 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off'
  | 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** The locks of a machine that was cut off in the middle would be held for hours. */
const IDLE_LIMIT = '; SET LOCAL idle_in_transaction_session_timeout = 20000'

/** @param end - closes `pool`, unless it is the host's */
export const poolConnections = (pool: Pool, end: () => Promise<void>): Connections => {
  let closing: Promise<void> | undefined

  /** Rejects each call that waits for a connection: a pool that is being closed forgets them. */
  const refusals = new Set<(fault: StoreFault) => void>()

  const connect = (): Promise<PoolClient> =>
    new Promise((resolve, reject) => {
      if (closing) throw closedFault()
      refusals.add(reject)
      pool.connect().then(
        (client) => {
          if (refusals.delete(reject)) resolve(client)
          else client.release()
        },
        (error) => {
          refusals.delete(reject)
          reject(faultOf(error, 'not_recorded'))
        },
      )
    })

  /** Connections that lead to no standby; no server becomes one while it has connections. */
  const primaries = new WeakSet<PoolClient>()

  /** Lends a connection to `work`; `outcome` is what the loss of it would leave behind. */
  const lend = async <Value>(outcome: () => FaultOutcome, work: Work<Value>): Promise<Value> => {
    const client = await connect()
    // Without a listener the loss of a connection would end the program; its statement tells of it.
    client.on('error', ignore)
    let isUsable = true
    try {
      const session = sessionOf(client)
      if (!primaries.has(client)) await demandPrimary(session)
      primaries.add(client)
      return await work(session, client)
    } catch (error) {
      const hasBegun = primaries.has(client)
      const isRolledBack = await rollBack(client, error)
      const isOurs = error instanceof StatementFailed
      isUsable = hasBegun && isRolledBack && !isSpoilt(isOurs ? error.cause : error)
      if (isOurs) throw faultOf(error.cause, isRolledBack || !hasBegun ? 'not_recorded' : outcome())
      throw isRolledBack ? error : faultOf(error, 'not_recorded')
    } finally {
      client.off('error', ignore)
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
      async (session, client) => {
        await session.rows({ text: begin + IDLE_LIMIT })
        const value = await work(session, client)
        outcome = 'unknown'
        await session.rows({ text: 'COMMIT' })
        return value
      },
    )
  }

  const run = (outcome: FaultOutcome) => {
    const state = () => outcome
    return <Found extends Row>(statement: Statement) =>
      lend(state, (session) => session.rows<Found>(statement))
  }

  return {
    read: run('not_recorded'),
    write: run('unknown'),
    transaction,
    isClosed: () => closing !== undefined,
    close: () => {
      closing ??= end()
      for (const refuse of refusals) refuse(closedFault())
      refusals.clear()
      return closing
    },
  }
}

const ignore = (): void => undefined

/** @throws StoreFault when the server is a standby: it may lack what was answered */
const demandPrimary = async (session: Session): Promise<void> => {
  const [row] = await session.rows({ text: 'SELECT pg_is_in_recovery()' })
  if (row?.[0] === 't') throw standbyFault()
}

const closedFault = () => new StoreFault('The store is closed', 'not_recorded')

/**
 * Undoes what `client` was doing when `error` came up. A connection that does not outlive its fault
 * leaves open whether it had committed; one that does had not.
 *
 * @returns whether it has outlived it, and nothing was recorded
 */
const rollBack = async (client: PoolClient, error: unknown): Promise<boolean> => {
  // After any other fault of a statement the connection is lost, or still busy with it.
  if (error instanceof StatementFailed && !isAnswer(error.cause)) return false
  try {
    await client.query('ROLLBACK')
    return true
  } catch {
    return false
  }
}
