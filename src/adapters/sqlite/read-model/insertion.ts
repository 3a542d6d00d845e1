import type { SQLInputValue } from 'node:sqlite'
import type { Database } from '../database.js'

/** Rows that one statement takes when there are so many: to run it costs as much as a row does. */
const ROWS_AT_ONCE = 128

/** Inserts rows; `values` are those of the first row, then those of the second, and so on. */
export type Insertion = (database: Database, values: readonly SQLInputValue[]) => void

/** How new rows get into `table`. */
export const insertion = (table: string, columns: readonly string[]): Insertion => {
  const row = `(${columns.map(() => '?').join(', ')})`
  // FAIL keeps no copy of what one statement changes: a fault undoes the whole transaction anyway.
  const insert = `INSERT OR FAIL INTO ${table} (${columns.join(', ')}) VALUES`
  const one = `${insert} ${row}`
  const many = `${insert} ${Array(ROWS_AT_ONCE).fill(row).join(', ')}`
  const width = columns.length
  return (database, values) => {
    let done = 0
    const insertNext = (sql: string, rows: number): void => {
      for (; done + rows * width <= values.length; done += rows * width) {
        database.run(sql, ...values.slice(done, done + rows * width))
      }
    }
    insertNext(many, ROWS_AT_ONCE)
    insertNext(one, 1)
  }
}
