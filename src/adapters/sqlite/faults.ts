import { type FaultOutcome, StoreFault } from '../../ports/store-fault.js'
import { isBusy, isSqliteError } from './result-code.js'

/** How long a caller who was refused should wait before another try, in milliseconds. */
const RETRY_AFTER = 1_000

/** What SQLite reports as a {@link StoreFault}; anything else as it is. */
export const faultOf = (error: unknown, outcome: FaultOutcome): unknown =>
  isSqliteError(error) ? new StoreFault(`SQLite: ${error.message}`, outcome, error) : error

/** The fault of a lock that lasted longer than anybody waits for it. */
export const lockedFault = (busyTimeout: number, cause: unknown): StoreFault => {
  const fault = new StoreFault(`The file was locked for ${busyTimeout} ms`, 'not_recorded', cause)
  fault.retryAfter = RETRY_AFTER
  return fault
}

/** Whether `fault` hits the next append as well, or must not be followed by a second try. */
export const isConnectionFault = (fault: unknown): boolean =>
  fault instanceof StoreFault && (fault.outcome === 'unknown' || isBusy(fault.cause))
