/** A value of a statement. */
export type SqliteValue = string | number | bigint | null

/** A prepared statement of SQLite. */
export interface SqliteStatement {
  /** All rows, each as an object by the names of its columns in their order. Integers are numbers. */
  all(...values: SqliteValue[]): unknown[]
  /** Returns how many rows changed; 0 for an insert that ignored a conflict. */
  run(...values: SqliteValue[]): {
    /** Rows that were added, changed or removed. */
    readonly changes: number | bigint
  }
  /** Whether `all` returns integers as bigints, in `node:sqlite`. */
  setReadBigInts?(isOn: boolean): unknown
  /** The same in `better-sqlite3` and `libsql`. */
  safeIntegers?(isOn: boolean): unknown
  /** Makes `all` return rows as lists, in `node:sqlite`. */
  setReturnArrays?(isOn: boolean): unknown
  /** The same in `better-sqlite3` and `libsql`. */
  raw?(isOn: boolean): unknown
  /** False for a statement that never finds rows, which may refuse `all`. */
  readonly reader?: boolean
  /** Rows as lists, in `bun:sqlite`. */
  values?(...values: SqliteValue[]): unknown[]
}

/**
 * An open database of SQLite, as `node:sqlite`, `better-sqlite3`, `libsql` and `bun:sqlite` have it. Its errors have
 * SQLite's error number in `errcode`, or its name in `code`, such as `SQLITE_BUSY`.
 */
export interface SqliteHandle {
  /** Prepares one statement. */
  prepare(sql: string): SqliteStatement
  /** Runs any number of statements. */
  exec(sql: string): unknown
}
