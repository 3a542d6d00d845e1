import type { Dialect } from '../../list-statements.js'
import { HISTORY, NAMES, tableOf } from '../../read-tables.js'

/** How SQLite reads lists. */
export const sqliteDialect: Dialect = {
  table: tableOf,
  shown: (field) => `shown ->> '$.${field}'`,
  // A plus makes SQLite look conditions up and sort what it finds; it would rather read all rows in
  // the order of their keys.
  ordered: (expression, conditions) =>
    conditions.some(({ operator }) => operator !== 'contains') ? `+${expression}` : expression,
  contains: (text) => `instr(${text}, ?) > 0`,
  flag: Number,
  history: HISTORY,
  names: NAMES,
  isListed: (text) => `${text} IN (SELECT value FROM json_each(?))`,
}
