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
    const bound = binding(text, parameters)
    try {
      const cursor = sql.exec(bound.text, ...bound.values)
      // The types of the runtime know the columns of no statement.
      return { rows: [...cursor.raw()] as readonly Row[], cursor }
    } catch (error) {
      // The output gate holds back answers until all is on disk: what fails here was undone.
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

/**
 * The values of a statement as the runtime takes them: integers as numbers, which are exact for every position that a
 * store assigns. Where they are too many, a JSON list of them is the only one.
 */
const binding = (
  text: string,
  parameters: readonly Parameter[],
): { readonly text: string; readonly values: readonly (string | number | null)[] } => {
  const values = parameters.map((value) => (typeof value === 'bigint' ? Number(value) : value))
  if (values.length <= LIMITS.maxParameters) return { text, values }
  let nth = 0
  return {
    text: text.replaceAll('?', () => `(?1 ->> ${nth++})`),
    values: [JSON.stringify(values)],
  }
}

/** Runs work at once: nothing else of the object comes in between. */
export const connectionTo = (
  storage: DurableObjectStorage,
  database: SyncDatabase,
): SyncConnection => ({
  query: async (work) => work(database),
  read: async (work) => work(database),
  write: async (work) => storage.transactionSync(() => work(database)),
})
