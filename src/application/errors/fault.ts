import { err, type Result } from 'neverthrow'
import { fieldOf } from '../../domain/values.js'
import { outcomeOf, retryAfterOf } from '../../ports/event-store.js'
import type { ReadError, Unavailable } from './errors.js'

/**
 * Carries an error to the public method that returns it, past code that cannot continue. Any other
 * exception is a bug in the library and stays an exception.
 */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly error: ReadError

  constructor(error: ReadError) {
    super(error.kind)
    this.error = error
  }
}

/** The fault of a port that threw `cause`. */
export const unavailable = (cause: unknown, outcome: Unavailable['outcome']): Fault => {
  if (cause instanceof Fault) return cause
  const retryAfter = retryAfterOf(cause)
  return new Fault({
    kind: 'Unavailable',
    outcome,
    ...(retryAfter !== undefined && { retryAfter }),
    cause,
  })
}

/** The error of a {@link Fault}. @throws any other exception */
export const errorOf = (thrown: unknown): ReadError => {
  if (thrown instanceof Fault) return thrown.error
  throw thrown
}

/** The result of `work`; a {@link Fault} that it throws becomes an error. */
export const catchFaults = async <Value, Failure>(
  work: () => Promise<Result<Value, Failure>>,
): Promise<Result<Value, Failure | ReadError>> => {
  try {
    return await work()
  } catch (thrown) {
    return err(errorOf(thrown))
  }
}

/** Error codes of systems, drivers and databases that cannot work at the moment. */
const CODES = [
  // Node.js: connections, and resources that have run out.
  /^E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|(HOST|NET)(UNREACH|DOWN)|AI_AGAIN|NOTFOUND)$/,
  /^E(AGAIN|BUSY|IO|MFILE|NFILE|NOBUFS|NOMEM|NOSPC)$/,
  /^UND_ERR_(CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|SOCKET)$/,
  // SQLSTATE: connection, standby, idle timeout, rollback, resources, locks, operator intervention, system.
  /^(08...|25006|25P03|40...|53...|55006|55P03|57...|58...)$/,
  // Other database drivers.
  /^SQLITE_(BUSY|LOCKED|NOMEM|IOERR|FULL|CANTOPEN)/,
  /^(PROTOCOL_CONNECTION_LOST|CONNECTION_CLOSED|CONNECT_TIMEOUT)$/,
]

/** The same as result codes of SQLite: busy, locked, out of memory, I/O error, full, cannot open. */
const SQLITE_RESULTS: ReadonlySet<number> = new Set([5, 6, 7, 10, 13, 14])

/** Errors of `pg` itself have no code. */
const LOST_BY_PG =
  /^(Connection terminated|timeout exceeded when trying to connect$|timeout expired$|Query read timeout$|Client (has encountered a connection error|was closed) and is not queryable$)/

/** Longest chain of causes that is searched. */
const DEPTH = 10

/**
 * Whether a projection threw because of a temporary fault, such as a lost connection, and not because it refuses the
 * event: the error has an `outcome` like a `StoreFault`, or the error or one of its causes has one of these codes.
 */
export const isTransientFault = (thrown: unknown): boolean =>
  outcomeOf(thrown) !== undefined ||
  isUnwritable(thrown) ||
  isCausedBy(thrown, (error) => isCodeOfFault(error) || isLossWithoutCode(error))

/** Whether a port could not write: its disk is full or read-only. It may still be read. */
export const isUnwritable = (thrown: unknown): boolean =>
  isCausedBy(thrown, (error) => {
    const code = fieldOf(error, 'code')
    const result = fieldOf(error, 'errcode')
    if (typeof result === 'number')
      return [8, 13].includes(result & 0xff) || [778, 4874].includes(result)
    return typeof code === 'string' && UNWRITABLE.test(code)
  })

/** A full or read-only disk or a quota; SQLite has the same as result codes, above. Not a standby, which may be behind. */
const UNWRITABLE =
  /^(ENOSPC|EDQUOT|EROFS|53100|SQLITE_(FULL|READONLY|IOERR_WRITE|IOERR_SHMSIZE).*)$/

/** Whether `is` holds for an error or one of its causes. */
const isCausedBy = (thrown: unknown, is: (error: unknown) => boolean): boolean => {
  let error = thrown
  for (let depth = 0; depth < DEPTH && error !== undefined; depth++) {
    if (is(error)) return true
    error = fieldOf(error, 'cause')
  }
  return false
}

/**
 * Whether a port threw because of a bug, in it or in its caller, so that a retry would fail again. Some clients throw a
 * `TypeError` for a lost connection too; its causes then have a code.
 */
export const isBug = (thrown: unknown): boolean => {
  const name = fieldOf(thrown, 'name')
  return BUGS.some((bug) => bug === name) && !isTransientFault(thrown)
}

/** By name: `instanceof` fails for errors of other realms. */
const BUGS = ['TypeError', 'ReferenceError', 'RangeError']

const isCodeOfFault = (error: unknown): boolean => {
  const code = fieldOf(error, 'code')
  const result = fieldOf(error, 'errcode')
  if (typeof result === 'number') return SQLITE_RESULTS.has(result & 0xff)
  return typeof code === 'string' && CODES.some((codes) => codes.test(code))
}

const isLossWithoutCode = (error: unknown): boolean => {
  const message = fieldOf(error, 'message')
  if (fieldOf(error, 'name') === 'TimeoutError') return true
  return typeof message === 'string' && LOST_BY_PG.test(message)
}
