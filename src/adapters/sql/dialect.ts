import type { Condition } from '../../ports/read-model.js'
import type { Parameter, Row, Statement } from './statement.js'

/** A column that many rows are written to at once. */
export interface Column {
  readonly name: string
  /** `json` is the text of `JSON.stringify`. */
  readonly holds: 'integer' | 'text' | 'json'
}

/** A row that is there, as it is to be. */
export interface ChangedRow {
  /** A value for each column; the first two are the scope and the key. */
  readonly row: Row
  /** The values that are there. */
  readonly before: () => Row
}

/** The number of a scope, and a key in it. */
export type NumberedKey = readonly [scope: number, key: string]

/** How a database declares tables. */
export interface Declarations {
  /** By what a column holds. */
  readonly types: Readonly<Record<Column['holds'], string>>
  /** After `CREATE TABLE` and `CREATE INDEX`. */
  readonly ifMissing: '' | 'IF NOT EXISTS'
  /** After the columns of a table. */
  readonly options: '' | 'STRICT'
}

/** What one database says otherwise than another. */
export interface Dialect {
  readonly declarations: Declarations
  /** `name` with the schema of the table. */
  readonly table: (name: string) => string
  /** A field without a column of its own, out of `shown`; text is ordered by code point. */
  readonly shown: (field: string) => string
  /** An expression that rows are put in order by once they were found through `conditions`. */
  readonly ordered: (expression: string, conditions: readonly Condition[]) => string
  /** Whether a text holds another one, which is the parameter. */
  readonly contains: (text: string) => string
  readonly flag: (value: boolean) => Parameter
  /** Whether a text is one of a list. */
  readonly isListed: (text: string, list: readonly string[]) => Statement
  /** A table called `sought` that has the columns `scope`, `key` and `nth`, which counts from 1. */
  readonly sought: (keys: readonly NumberedKey[]) => Statement
  /** How rows are added where there are none. */
  readonly insert: (
    table: string,
    columns: readonly Column[],
    rows: readonly Row[],
  ) => readonly Statement[]
  /** How rows are put in place of those that are there. */
  readonly update: (
    table: string,
    columns: readonly Column[],
    rows: readonly ChangedRow[],
  ) => readonly Statement[]
  /** How rows are removed. */
  readonly remove: (table: string, keys: readonly NumberedKey[]) => readonly Statement[]
}
