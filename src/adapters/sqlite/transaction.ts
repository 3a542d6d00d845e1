import type { FaultOutcome, StoreFault } from '../../ports/store-fault.js'
import type { Database } from './database.js'
import { faultOf, isBusy, isFull } from './faults.js'

/** `IMMEDIATE` locks for writing first; `DEFERRED` reads everything as of one moment. */
export type Begin = 'BEGIN IMMEDIATE' | 'BEGIN DEFERRED'

/**
 * Runs `work` in a transaction: all that it writes is recorded or nothing.
 *
 * @throws SQLITE_BUSY as it is, with nothing recorded, so that it can be tried again;
 *   {@link StoreFault} for any other error of SQLite; errors of `work` as they are
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
    // SQLite has already rolled back, or the transaction never began.
  }
}
