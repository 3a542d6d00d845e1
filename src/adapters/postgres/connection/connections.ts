import type { Pool, PoolClient } from 'pg'
import type { FaultOutcome } from '../../../ports/store-fault.js'
import { cutWaitFault, isCutWait } from '../log/durable.js'
import { closedFault, waitingFor } from '../log/waiting.js'
import {
  openSession,
  type Row,
  type Session,
  type Statement,
  StatementFailed,
} from './connection.js'
import { faultOf, isAnswer, isOtherIsolation, isSpoilt } from './faults.js'

/**
 * The connections of one store. Everything rejects with a {@link StoreFault} when PostgreSQL cannot
 * be reached or reports a fault, and after `close`; a lost connection is replaced by the next call.
 * What they set ends with its transaction: connections are shared, by the host or by a pooler.
 */
export interface Connections {
  /** Runs a statement that only reads. */
  readonly read: <Found extends Row>(statement: Statement) => Promise<readonly Found[]>
  /**
   * Runs a statement that writes, in a READ COMMITTED transaction of its own: one round trip, unless
   * sessions begin transactions otherwise.
   */
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

/** Whose the connections are. */
export interface PoolOwner {
  /** Closes the pool, unless it is the host's. */
  readonly end: () => Promise<void>
  /** What a host can do when there are too few connections. */
  readonly remedy: string
}

/** Owner of a pool that the host shares: it stays open. */
export const POOL_OF_HOST: PoolOwner = {
  end: async () => undefined,
  remedy: 'raise its max, or give claviger a pool of its own',
}

/** @see Connections */
export const poolConnections = (pool: Pool, { end, remedy }: PoolOwner): Connections => {
  let closing: Promise<void> | undefined
  const waiting = waitingFor(pool, remedy)
  const sessions = new WeakMap<PoolClient, Session>()

  /** Lends a connection to `work`; `outcome` is what the loss of it would leave behind. */
  const lend = async <Value>(outcome: () => FaultOutcome, work: Work<Value>): Promise<Value> => {
    if (closing) throw closedFault()
    const client = await waiting.connect()
    let isCut = false
    const hear = (notice: unknown): void => {
      isCut ||= isCutWait(notice)
    }
    // Without a listener the loss of a connection would end the program; its statement tells of it.
    client.on('error', ignore)
    client.on('notice', hear)
    let session = sessions.get(client)
    let isUsable = true
    try {
      session ??= await openSession(client)
      sessions.set(client, session)
      const value = await work(session, client)
      if (isCut) throw cutWaitFault()
      return value
    } catch (error) {
      const hasBegun = session !== undefined
      const isRolledBack = await rollBack(client, error)
      const isOurs = error instanceof StatementFailed
      isUsable = hasBegun && isRolledBack && !isSpoilt(isOurs ? error.cause : error)
      if (isOurs) throw faultOf(error.cause, isRolledBack || !hasBegun ? 'not_recorded' : outcome())
      throw isRolledBack ? error : faultOf(error, 'not_recorded')
    } finally {
      client.off('error', ignore)
      client.off('notice', hear)
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
  const writeAlone = run('unknown')

  /** Whether a statement alone may be READ COMMITTED: until one was not. */
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
    return transaction((session) => session.rows<Found>(statement))
  }

  return {
    read: run('not_recorded'),
    write,
    transaction,
    isClosed: () => closing !== undefined,
    close: () => {
      closing ??= end()
      waiting.refuse()
      return closing
    },
  }
}

const ignore = (): void => undefined

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
