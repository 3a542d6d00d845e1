import type { Condition } from '../../ports/read-model.js'
import type { Parameter, Row, Statement } from './statement.js'

/** A column that many rows are written to at once. */
export interface Column {
  readonly name: string
  /** `json` is the text of `JSON.stringify`. */
  readonly holds: 'integer' | 'text' | 'json'
}

/** Columns of a table. */
export interface Columns {
  readonly table: string
  readonly columns: readonly Column[]
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
  /** Whether each statement takes a round trip, so that a longer one is better than two. */
  readonly isRemote: boolean
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
  /** How rows are added where there are none; each is made of one of `added`. */
  readonly insert: <Item>(
    into: Columns,
    added: readonly Item[],
    rowOf: (item: Item) => Row,
  ) => Iterable<Statement>
  /** How rows are put in place of those that are there. */
  readonly update: (of: Columns, rows: readonly ChangedRow[]) => Iterable<Statement>
  /** How rows are removed. */
  readonly remove: (table: string, keys: readonly NumberedKey[]) => Iterable<Statement>
}
