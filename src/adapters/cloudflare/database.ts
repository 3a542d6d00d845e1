import { StoreFault } from '../../ports/store-fault.js'
import type { SqliteLimits, SyncConnection, SyncDatabase } from '../sql/sqlite/database.js'
import type { Parameter, Row } from '../sql/statement.js'
import type { DurableObjectStorage } from './storage.js'

/**
 * Those of Durable Objects. A text may have 2 MB, and a key takes up to 1.4 kB in the text with the keys of all
 * events that are applied together.
 */
export const LIMITS: SqliteLimits = { maxParameters: 100, maxEvents: 500 }

/** The database of an object. Prepared statements are cached by the runtime. */
export const openDatabase = ({ sql }: DurableObjectStorage): SyncDatabase => {
  const execute = (text: string, parameters: readonly Parameter[]) => {
    try {
      const cursor = sql.exec(text, ...parameters.map(bound))
      // The types of the runtime know the columns of no statement.
      return { rows: [...cursor.raw()] as readonly Row[], cursor }
    } catch (error) {
      // What was written before in the same transaction is undone, too.
      throw new StoreFault(`SQLite: ${String(error)}`, 'not_recorded', error)
    }
  }

  return {
    script: (text) => void execute(text, []),
    run: (text, ...parameters) => execute(text, parameters).cursor.rowsWritten > 0,
    rows: <Found extends Row>(text: string, ...parameters: Parameter[]) =>
      execute(text, parameters).rows as readonly Found[],
    value: (text, ...parameters) => execute(text, parameters).rows[0]?.[0],
  }
}

/** Integers are numbers for the runtime; they are exact for every position that a store assigns. */
const bound = (value: Parameter): string | number | null =>
  typeof value === 'bigint' ? Number(value) : value

/** Runs work at once: nothing else of the object comes in between. */
export const connectionTo = (
  storage: DurableObjectStorage,
  database: SyncDatabase,
): SyncConnection => ({
  query: async (work) => work(database),
  read: async (work) => work(database),
  write: async (work) => storage.transactionSync(() => work(database)),
})
