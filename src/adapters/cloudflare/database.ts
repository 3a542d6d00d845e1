import { StoreFault } from '../../ports/event-store.js'
import type { Parameter, Row } from '../sql/dialect.js'
import type { SqliteLimits, SyncConnection, SyncDatabase } from '../sql/sqlite/dialect.js'
import { CREATE_EVENTS } from '../sql/sqlite/event-log.js'
import { EVENTS } from '../sql/stored-events.js'
import { CREATE_PARTS, dataOf, PARTS } from './event-store.js'

/**
 * The limits of Durable Objects. A text may have 2 MB; some statements have a text with the keys of all events that are
 * applied together, up to 1.4 kB each.
 */
export const LIMITS: SqliteLimits = { maxParameters: 100, maxEvents: 500, dataOf }

/** The database of an object. Prepared statements are cached by the runtime. */
export const openDatabase = ({ sql }: DurableObjectStorage): SyncDatabase => {
  const execute = (text: string, parameters: readonly Parameter[]) => {
    try {
      const [query, values] = withinLimit(text, parameters.map(bound))
      const cursor = sql.exec(query, ...values)
      // The types of the runtime know the columns of no statement.
      return { rows: [...cursor.raw()] as readonly Row[], cursor }
    } catch (error) {
      // Earlier changes of the same transaction are undone, too.
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

/** A value as the runtime takes it. */
type Bound = string | number | null

/** The runtime takes integers as numbers, which are exact for every position that a store assigns. */
const bound = (value: Parameter): Bound => (typeof value === 'bigint' ? Number(value) : value)

/**
 * A statement with more parameters than the runtime takes, with one parameter for all that are equal: a page after
 * another one repeats a few values. Texts of statements have question marks for parameters alone.
 */
const withinLimit = (
  text: string,
  parameters: readonly Bound[],
): readonly [text: string, values: readonly Bound[]] => {
  if (parameters.length <= LIMITS.maxParameters) return [text, parameters]
  const values = [...new Set(parameters)]
  let next = 0
  const number = () => values.indexOf(parameters[next++] ?? null) + 1
  return [text.replaceAll('?', () => `?${number()}`), values]
}

/** Runs work at once: no other code of the object runs in between. */
export const connectionTo = (
  storage: DurableObjectStorage,
  database: SyncDatabase,
): SyncConnection => ({
  query: async (work) => work(database),
  read: async (work) => work(database),
  write: async (work) => storage.transactionSync(() => work(database)),
})

/** The result of a statement. */
export interface SqlCursor {
  /** The rows, each in the order of its columns. */
  readonly raw: () => Iterable<readonly unknown[]>
  /** Number of rows written, including rows of indexes; complete once all rows were read. */
  readonly rowsWritten: number
}

/** The storage of a Durable Object of a class with SQLite: `ctx.storage`. */
export interface DurableObjectStorage {
  /** Its database. */
  readonly sql: {
    /** Runs a statement, or several without values. */
    readonly exec: (query: string, ...bindings: (string | number | null)[]) => SqlCursor
  }
  /** Runs `work` in a transaction; an error that it throws undoes all changes. */
  readonly transactionSync: <Value>(work: () => Value) => Value
}

/** @throws TypeError when `storage` is not a storage with SQLite; the error of the runtime for a class without SQLite */
export const checkStorage = (storage: DurableObjectStorage): void => {
  const isStorage =
    typeof storage?.transactionSync === 'function' && typeof storage.sql?.exec === 'function'
  if (!isStorage)
    throw new TypeError(
      'durableObjectStore takes ctx.storage of a Durable Object class with SQLite',
    )
}

/** The table with the number of migrations done: the runtime has no `PRAGMA user_version`. */
const SCHEMA = 'claviger_schema'

/** The migration to each version of the tables. Add new ones, but never change one: existing objects went through it. */
const MIGRATIONS: readonly string[] = [`${CREATE_EVENTS}\n${CREATE_PARTS}`]

/**
 * Brings the tables of the log up to date, in a transaction that has begun.
 *
 * @throws UnusableStorage, with nothing changed
 */
export const setUp = (database: SyncDatabase): void => {
  const version = schemaVersion(database)
  if (version === MIGRATIONS.length) return
  for (const migration of MIGRATIONS.slice(version)) database.script(migration)
  database.script(`CREATE TABLE IF NOT EXISTS ${SCHEMA} (version INTEGER NOT NULL) STRICT;
    DELETE FROM ${SCHEMA}; INSERT INTO ${SCHEMA} VALUES (${MIGRATIONS.length});`)
}

const schemaVersion = (database: SyncDatabase): number => {
  if (!hasTable(database, SCHEMA)) {
    const taken = [EVENTS, PARTS].find((name) => hasTable(database, name))
    if (taken === undefined) return 0
    throw new UnusableStorage('foreign', `The object has a table ${taken} that is not of claviger`)
  }
  const version = Number(database.value(`SELECT version FROM ${SCHEMA}`))
  if (version <= MIGRATIONS.length) return version
  throw new UnusableStorage(
    'newer',
    `The storage has version ${version}; this version of claviger knows ${MIGRATIONS.length}`,
  )
}

const hasTable = (database: SyncDatabase, name: string): boolean =>
  database.value(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`, name) === 1

/**
 * A storage that `durableObjectStore` cannot use:
 *
 * - `foreign`: the host has a table with a name that the library uses;
 * - `newer`: a newer version of this library wrote it.
 */
export class UnusableStorage extends Error {
  override readonly name = 'UnusableStorage'
  /** The reason, as listed above. */
  readonly reason: 'foreign' | 'newer'

  constructor(reason: UnusableStorage['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
