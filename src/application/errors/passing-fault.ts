import { fieldOf } from '../../domain/field-of.js'
import { outcomeOf } from '../../ports/store-fault.js'

/** Codes of errors by which a system, a driver or a database says that it cannot work now. */
const CODES = [
  // Node.js: connections, and what the machine has run out of.
  /^E(CONN(REFUSED|RESET|ABORTED)|PIPE|TIMEDOUT|(HOST|NET)(UNREACH|DOWN)|AI_AGAIN|NOTFOUND)$/,
  /^E(AGAIN|BUSY|IO|MFILE|NFILE|NOBUFS|NOMEM|NOSPC)$/,
  /^UND_ERR_(CONNECT_TIMEOUT|HEADERS_TIMEOUT|BODY_TIMEOUT|SOCKET)$/,
  // SQLSTATE: connection, a standby, idle for too long, rolled back, resources, locks, ended by an operator, system.
  /^(08...|25006|25P03|40...|53...|55006|55P03|57...|58...)$/,
  // Other drivers of databases.
  /^SQLITE_(BUSY|LOCKED|NOMEM|IOERR|FULL|CANTOPEN)/,
  /^(PROTOCOL_CONNECTION_LOST|CONNECTION_CLOSED|CONNECT_TIMEOUT)$/,
]

/** Result codes of SQLite for the same: busy, locked, out of memory, input or output, full, cannot open. */
const SQLITE_RESULTS: ReadonlySet<number> = new Set([5, 6, 7, 10, 13, 14])

/** `pg` gives its own errors no code. */
const LOST_BY_PG =
  /^(Connection terminated|timeout exceeded when trying to connect$|timeout expired$|Query read timeout$|Client (has encountered a connection error|was closed) and is not queryable$)/

/** How many causes behind an error are looked at. */
const DEPTH = 10

/**
 * Whether what a projection threw is a fault of what it works with, such as a connection that was lost, and not
 * its refusal of an event: the error states it as a `StoreFault` does, or it or one of its causes has such a code.
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
