import type { ChangedRow, Column, Dialect } from '../../sql/dialect.js'
import type { Statement } from '../../sql/statement.js'

/** Rows that one statement takes when there are so many: to run it costs as much as a row does. */
const ROWS_AT_ONCE = 128

/** What SQLite says otherwise than another database. */
export const sqliteDialect: Dialect = {
  declarations: {
    types: { integer: 'INTEGER', text: 'TEXT', json: 'TEXT' },
    ifMissing: 'IF NOT EXISTS',
    options: 'STRICT',
  },
  table: (name) => name,
  shown: (field) => `shown ->> '$.${field}'`,
  // A plus makes SQLite look conditions up and sort what it finds; it would rather read all rows in
  // the order of their keys.
  ordered: (expression, conditions) =>
    conditions.some(({ operator }) => operator !== 'contains') ? `+${expression}` : expression,
  contains: (text) => `instr(${text}, ?) > 0`,
  flag: Number,
  isListed: (text, list) => ({
    sql: `${text} IN (SELECT value FROM json_each(?))`,
    parameters: [JSON.stringify(list)],
  }),
  sought: (keys) => ({
    sql: `(SELECT value ->> 0 AS scope, value ->> 1 AS key, key + 1 AS nth FROM json_each(?)) AS sought`,
    parameters: [JSON.stringify(keys)],
  }),
  insert: (table, columns, rows) => {
    const many = insertion(table, columns, ROWS_AT_ONCE)
    const one = insertion(table, columns, 1)
    const statements: Statement[] = []
    let begin = 0
    for (; begin + ROWS_AT_ONCE <= rows.length; begin += ROWS_AT_ONCE)
      statements.push({ sql: many, parameters: rows.slice(begin, begin + ROWS_AT_ONCE).flat() })
    for (const row of rows.slice(begin)) statements.push({ sql: one, parameters: row })
    return statements
  },
  update: (table, columns, rows) => rows.map((changed) => updateOf(table, columns, changed)),
  remove: (table, keys) =>
    keys.map((parameters) => ({
      sql: `DELETE FROM ${table} WHERE scope = ? AND key = ?`,
      parameters,
    })),
}

/** FAIL keeps no copy of what one statement changes: a fault undoes the whole transaction anyway. */
const insertion = (table: string, columns: readonly Column[], count: number): string => {
  const row = `(${columns.map(() => '?').join(', ')})`
  const names = columns.map(({ name }) => name).join(', ')
  return `INSERT OR FAIL INTO ${table} (${names}) VALUES ${Array(count).fill(row).join(', ')}`
}

/** SQLite writes to the index of every column named, also when its value is the same. */
const updateOf = (
  table: string,
  columns: readonly Column[],
  { row, before }: ChangedRow,
): Statement => {
  const stored = before()
  const changed = columns.flatMap(({ name }, index) =>
    row[index] === stored[index] ? [] : [{ name, index }],
  )
  return {
    sql: `UPDATE ${table} SET ${changed.map(({ name }) => `${name} = ?`).join(', ')}
      WHERE scope = ? AND key = ?`,
    parameters: [...changed, SCOPE, KEY].map(({ index }) => row[index] ?? null),
  }
}

const [SCOPE, KEY] = [{ index: 0 }, { index: 1 }]
