import { fieldOf } from '../../domain/values.js'
import { type FaultOutcome, StoreFault } from '../../ports/event-store.js'

/**
 * A file that `openSqlite` cannot use:
 *
 * - `cannot_open`: it cannot be opened or created, for instance because its folder does not exist;
 * - `not_a_database`: it is not an SQLite file;
 * - `foreign`: it is the database of another program;
 * - `newer`: a newer version of this library wrote it;
 * - `not_migrated`: with `migrate: false`, it is missing, or its tables are missing or outdated.
 */
export class UnusableFile extends Error {
  override readonly name = 'UnusableFile'
  /** The reason, as listed above. */
  readonly reason: 'cannot_open' | 'not_a_database' | 'foreign' | 'newer' | 'not_migrated'

  constructor(reason: UnusableFile['reason'], message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}

/** An error of SQLite, or a statement that the driver refused to run, as a {@link StoreFault}; any other error as it is. */
export const faultOf = (error: unknown, outcome: FaultOutcome): unknown => {
  if (isIterating(error)) return new StoreFault(ITERATING, 'not_recorded', error)
  return isSqliteError(error) ? new StoreFault(`SQLite: ${error.message}`, outcome, error) : error
}

const ITERATING =
  'The host is iterating rows on this handle. End the iteration before the call, or read the rows with all()'

/** Whether better-sqlite3 refused a statement, since the host is reading rows one by one. */
const isIterating = (error: unknown): boolean =>
  fieldOf(error, 'message') === 'This database connection is busy executing a query'

/** How long a rejected caller should wait before another try, in milliseconds. */
const RETRY_AFTER_MS = 1_000

/** The fault of a lock that lasted longer than `busyTimeout`. */
export const lockedFault = (busyTimeout: number, cause: unknown): StoreFault => {
  const fault = new StoreFault(`The file was locked for ${busyTimeout} ms`, 'not_recorded', cause)
  fault.retryAfter = RETRY_AFTER_MS
  return fault
}

/** Whether `fault` would also affect the next append, or has an unknown outcome. */
export const isConnectionFault = (fault: unknown): boolean =>
  fault instanceof StoreFault && (fault.outcome === 'unknown' || isBusy(fault.cause))

/** Primary result codes of SQLite, by the names that some drivers have; those of other errors do not matter. */
const CODES = { ERROR: 1, BUSY: 5, LOCKED: 6, FULL: 13, CONSTRAINT: 19, NOTADB: 26 }

/** The primary result code of SQLite; undefined when SQLite did not report `error`. */
const resultCode = (error: unknown): number | undefined => {
  // Not `instanceof`: some test runners have an `Error` of their own.
  const code = fieldOf(error, 'errcode')
  if (typeof code === 'number') return code & 0xff
  const [, name] = /^SQLITE_([A-Z]+)/.exec(String(fieldOf(error, 'code'))) ?? []
  return name === undefined ? undefined : Number(fieldOf(CODES, name) ?? CODES.ERROR)
}

/** Whether SQLite itself reported `error`. */
export const isSqliteError = (error: unknown): error is Error => resultCode(error) !== undefined

/** Whether another connection holds a lock, so that another try may succeed. */
export const isBusy = (error: unknown): boolean => {
  const code = resultCode(error)
  return code === CODES.BUSY || code === CODES.LOCKED
}

/** Whether the disk is full, so that nothing was recorded. */
export const isFull = (error: unknown): boolean => resultCode(error) === CODES.FULL

/** Whether a constraint was violated. */
export const isConstraint = (error: unknown): boolean => resultCode(error) === CODES.CONSTRAINT

/** Whether the file is not an SQLite file. */
export const isNotADatabase = (error: unknown): boolean => resultCode(error) === CODES.NOTADB
