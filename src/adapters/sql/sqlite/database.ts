import type { Parameter, Row } from '../statement.js'

/** A synchronous connection to a database of SQLite. Integers are numbers. */
export interface SyncDatabase {
  /** Runs any number of statements without parameters. */
  readonly script: (sql: string) => void
  /** Runs one statement, and returns whether it changed a row. */
  readonly run: (sql: string, ...parameters: Parameter[]) => boolean
  /** All rows that a query finds. The type of the row is the caller's claim. */
  readonly rows: <Found extends Row>(sql: string, ...parameters: Parameter[]) => readonly Found[]
  /** First column of the first row; undefined when there is no row. */
  readonly value: (sql: string, ...parameters: Parameter[]) => Parameter | undefined
}

/** Runs synchronous work in a database; everything rejects with a `StoreFault` when the database fails. */
export interface SyncConnection {
  /** Runs `work` without a transaction: for a single query. */
  readonly query: <Value>(work: (database: SyncDatabase) => Value) => Promise<Value>
  /** Runs `work` so that all its queries see the database as of one moment. */
  readonly read: <Value>(work: (database: SyncDatabase) => Value) => Promise<Value>
  /** Runs `work` so that all that it writes is recorded or nothing. */
  readonly write: <Value>(work: (database: SyncDatabase) => Value) => Promise<Value>
}

/** What one statement may be, where SQLite is limited. */
export interface SqliteLimits {
  /** Most parameters of a statement. */
  readonly maxParameters: number
  /** Most events that are applied by the same statements, some of which have a text with the keys of all. */
  readonly maxEvents: number
}
