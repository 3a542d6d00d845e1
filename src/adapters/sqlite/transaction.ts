import type { FaultOutcome, StoreFault } from '../../ports/store-fault.js'
import type { Database } from './database.js'
import { faultOf } from './faults.js'
import { isBusy, isFull } from './result-code.js'

/** `IMMEDIATE` takes the lock for writing first; `DEFERRED` reads everything as of one moment. */
export type Begin = 'BEGIN IMMEDIATE' | 'BEGIN DEFERRED'

/**
 * Runs `work` in a transaction: all that it writes is recorded or nothing.
 *
 * @throws SQLITE_BUSY as it is, with nothing recorded, so that it can be tried again;
 *   {@link StoreFault} for what else SQLite reports; whatever `work` throws
 */
export const inTransaction = <Value>(
  database: Database,
  begin: Begin,
  work: (database: Database) => Value,
): Value => {
  let outcome: FaultOutcome = 'not_recorded'
  try {
    database.run(begin)
    const value = work(database)
    outcome = 'unknown'
    database.run('COMMIT')
    return value
  } catch (error) {
    rollBack(database)
    if (isBusy(error)) throw error
    throw faultOf(error, isFull(error) ? 'not_recorded' : outcome)
  }
}

const rollBack = (database: Database): void => {
  try {
    database.run('ROLLBACK')
  } catch {
    // SQLite has rolled back by itself, or the transaction never began.
  }
}
