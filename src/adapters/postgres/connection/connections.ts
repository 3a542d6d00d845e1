import { type FaultOutcome, InTransactionFailed, StoreFault } from '../../../ports/event-store.js'
import type { PostgresConnection, PostgresDriver } from '../driver.js'
import {
  type Connection,
  connectionOn,
  onlyRow,
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
  isRefusal,
  isStandbyFault,
  needsNewConnection,
  standbyFault,
} from './faults.js'
import { askServer } from './require-server.js'

/**
 * The connections of one store. Everything rejects with a {@link StoreFault} when PostgreSQL cannot
 * be reached or reports a fault, and after `close`; a lost connection is replaced by the next call.
 * Settings last for one transaction: connections are shared, by the host or by a pooler.
 */
export interface Connections<Lent = PostgresConnection> {
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
  readonly transaction: <Value>(work: Work<Value, Lent>, begin?: Begin) => Promise<Value>
  readonly isClosed: () => boolean
  /** Waits for running calls and rejects those that wait for a connection, and later ones. */
  readonly close: () => Promise<void>
}

/**
 * The work of one call: our statements use the connection, statements of the host the driver's own client. Work that
 * commits itself calls `committing` before: afterwards, the outcome of a lost connection is unknown. Then it calls what
 * that returned: nothing that fails afterwards undoes the commit.
 */
type Work<Value, Lent> = (
  connection: Connection,
  lent: Lent,
  committing: () => () => void,
) => Promise<Value>

/**
 * How a transaction begins: each statement sees what was committed before it, or all see the same moment. A read
 * model can be rebuilt, so its commit need not wait for the disk.
 */
export type Begin =
  | 'BEGIN ISOLATION LEVEL READ COMMITTED'
  | 'BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL synchronous_commit = off'
  | typeof READ_ONLY
  | typeof BEGIN_FOR_HOST

const READ_ONLY = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'

/** Begins a transaction for statements of a host; before it ends, {@link requireCommittable}. */
export const BEGIN_FOR_HOST = 'BEGIN ISOLATION LEVEL READ COMMITTED; SAVEPOINT claviger'

/** Without it, a machine that is cut off would hold its locks for hours. */
const IDLE_LIMIT = '; SET LOCAL idle_in_transaction_session_timeout = 20000'

/** A driver, and what its connections are. */
type DriverOf<Lent> = Pick<PostgresDriver, 'close'> & {
  readonly connect: (onNotice: (notice: unknown) => void) => Promise<Lent>
}

/**
 * The connections of a driver.
 *
 * @param mayBeStandby - for a replica, which is only read; any other standby may lack answered appends
 */
export const connectionsOf = <Lent extends PostgresConnection>(
  driver: DriverOf<Lent>,
  mayBeStandby = false,
): Connections<Lent> => {
  let closing: Promise<void> | undefined
  const refusals = new Set<(fault: StoreFault) => void>()
  /** Sessions that are known not to be of a standby: a server that becomes one ends them. */
  const known = new WeakMap<object, { readonly isDirect: boolean }>()
  /** Whether the last session that was asked was the one that the driver connected to. */
  let isDirect = false

  /**
   * Asks the session who it is. Behind a pooler statements have no names: the next one may reach another process, where
   * nothing was prepared.
   */
  const ask = async (lent: Lent): Promise<void> => {
    const { rows } = connectionOn(lent, () => false)
    const text = 'SELECT pg_is_in_recovery()::text, pg_backend_pid()::text'
    const [isStandby, process] = onlyRow(await askServer(rows, { text }))
    if (isStandby === 'true' && !mayBeStandby) throw standbyFault()
    const session = sessionOf(lent)
    const named = lent.session?.()?.process
    isDirect = named === undefined || named === Number(process)
    if (session) known.set(session, { isDirect })
  }

  const isKnown = (lent: Lent): boolean => {
    const session = sessionOf(lent)
    return session !== undefined && known.has(session)
  }

  /** Runs `work` with a connection. `outcome` is the outcome of the work if the connection is lost now. */
  const lend = async <Value>(
    outcome: () => FaultOutcome,
    work: (connection: Connection, lent: Lent) => Promise<Value>,
  ): Promise<Value> => {
    if (closing) throw closedFault()
    let isCut = false
    const lent = await connectTo(driver, refusals, (notice) => {
      isCut ||= isCutWait(notice)
    })
    let hasBegun = false
    let isUsable = true
    try {
      const session = sessionOf(lent)
      if (session && !known.has(session)) await ask(lent)
      hasBegun = true
      const isPrepared = () => known.get(sessionOf(lent) ?? {})?.isDirect ?? isDirect
      const value = await work(connectionOn(lent, isPrepared), lent)
      if (isCut) throw cutWaitFault()
      return value
    } catch (error) {
      const isRolledBack = hasBegun && !isStandbyFault(error) && (await rollBack(lent, error))
      const isOurs = error instanceof StatementFailed
      isUsable = hasBegun && isRolledBack && !needsNewConnection(isOurs ? error.cause : error)
      if (isOurs) {
        const isUndone = isRolledBack || !hasBegun || isRefusal(error.cause)
        throw faultOf(error.cause, isUndone ? 'not_recorded' : outcome())
      }
      if (error instanceof InTransactionFailed) throw error
      throw isRolledBack || !hasBegun ? error : faultOf(error, 'not_recorded')
    } finally {
      lent.release(!isUsable)
    }
  }

  const transaction = async <Value>(
    work: Work<Value, Lent>,
    begin: Begin = 'BEGIN ISOLATION LEVEL READ COMMITTED',
  ): Promise<Value> => {
    let outcome: FaultOutcome = 'not_recorded'
    let isCommitted = false
    const committing = () => {
      outcome = 'unknown'
      return () => {
        isCommitted = true
      }
    }
    try {
      return await lend(
        () => outcome,
        async (connection, lent) => {
          await connection.rows({ text: begin + IDLE_LIMIT })
          if (!isKnown(lent)) await ask(lent)
          const value = await work(connection, lent, committing)
          committing()
          await connection.rows({ text: 'COMMIT' })
          return value
        },
      )
    } catch (error) {
      // What has failed since is another transaction.
      if (isCommitted && error instanceof StoreFault)
        throw new StoreFault(error.message, 'unknown', error.cause)
      throw error
    }
  }

  const read = async <Found extends Row>(statement: Statement): Promise<readonly Found[]> => {
    const [found, isFromKnown] = await lend(
      () => 'not_recorded',
      async (connection, lent) => [await connection.rows<Found>(statement), isKnown(lent)] as const,
    )
    // The result of an unknown session may be outdated. In a transaction, the session is checked first.
    return isFromKnown ? found : transaction(({ rows }) => rows<Found>(statement), READ_ONLY)
  }

  /** Whether READ COMMITTED is the default isolation; assumed until a statement fails. */
  let isReadCommitted = true

  const write = async <Found extends Row>(statement: Statement): Promise<readonly Found[]> => {
    if (isReadCommitted) {
      try {
        return await lend(
          () => 'unknown',
          (connection) => connection.rows<Found>(statement),
        )
      } catch (fault) {
        if (!isOtherIsolation(fault)) throw fault
        isReadCommitted = false
      }
    }
    return transaction((connection) => connection.rows<Found>(statement))
  }

  return {
    read,
    write,
    transaction,
    isClosed: () => closing !== undefined,
    close: () => {
      closing ??= driver.close?.() ?? Promise.resolve()
      for (const refuse of refusals) refuse(closedFault())
      return closing
    },
  }
}

/**
 * Checks deferred constraints now, so that a violation counts as an error of the host and not of the commit. It also
 * fails after a failed statement, where a commit would roll back silently, and if a statement of the host has ended the
 * transaction, even if another one has begun a new one.
 */
export const requireCommittable = async (lent: PostgresConnection): Promise<void> => {
  const text = 'RELEASE claviger; SET CONSTRAINTS ALL IMMEDIATE'
  await lent.rows({ text, values: [] })
}

/** A connection that does not tell sessions apart is one itself. */
const sessionOf = (lent: PostgresConnection): object | undefined =>
  lent.session ? lent.session() : lent

/**
 * Rolls back what `lent` was doing when it failed with `error`.
 *
 * @returns whether it succeeded; if not, the connection is lost, and a commit may have been made
 */
const rollBack = async (lent: PostgresConnection, error: unknown): Promise<boolean> => {
  // After a fault other than an answer, the connection is lost, or busy with the statement.
  if (error instanceof StatementFailed && !isAnswer(error.cause)) return false
  try {
    await lent.rows({ text: 'ROLLBACK', values: [] })
    return true
  } catch {
    return false
  }
}

/**
 * A connection, to be released. Rejects with a {@link StoreFault} without one, or when its function in `refusals` is
 * called, because a closed pool would never respond.
 */
const connectTo = <Lent extends PostgresConnection>(
  driver: DriverOf<Lent>,
  refusals: Set<(fault: StoreFault) => void>,
  onNotice: (notice: unknown) => void,
): Promise<Lent> =>
  new Promise((resolve, reject) => {
    const refuse = (fault: StoreFault): void => {
      refusals.delete(refuse)
      reject(fault)
    }
    refusals.add(refuse)
    driver.connect(onNotice).then(
      (lent) => {
        if (refusals.delete(refuse)) resolve(lent)
        else lent.release(false)
      },
      (error) => refuse(faultOf(error, 'not_recorded')),
    )
  })

const closedFault = (): StoreFault => new StoreFault('The store is closed', 'not_recorded')
