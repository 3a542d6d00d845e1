import { fieldOf } from '../../domain/field-of.js'
import { outcomeOf } from '../../ports/store-fault.js'

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

/** The own errors of `pg` have no code. */
const LOST_BY_PG =
  /^(Connection terminated|timeout exceeded when trying to connect$|timeout expired$|Query read timeout$|Client (has encountered a connection error|was closed) and is not queryable$)/

/** Longest chain of causes that is searched. */
const DEPTH = 10

/**
 * Whether a projection threw because of a temporary fault, such as a lost connection, and not because it refuses the
 * event: the error has an `outcome`, as a `StoreFault` has, or it or one of its causes has one of these codes.
 */
export const isPassingFault = (thrown: unknown): boolean => {
  if (outcomeOf(thrown) !== undefined) return true
  let error = thrown
  for (let depth = 0; depth < DEPTH && error !== undefined; depth++) {
    if (isCodeOfFault(error) || isLossWithoutCode(error)) return true
    error = fieldOf(error, 'cause')
  }
  return false
}

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
