import type { ChangedRow, Column, Columns, Dialect } from '../../sql/dialect.js'
import type { Parameter, Statement } from '../../sql/statement.js'

/** Rows that one statement takes when there are so many: to run it costs as much as a row does. */
const ROWS_AT_ONCE = 128

/** What SQLite says otherwise than another database. */
export const sqliteDialect: Dialect = {
  isRemote: false,
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
  *insert({ table, columns }, added, rowOf) {
    const many = insertion(table, columns, ROWS_AT_ONCE)
    let parameters: Parameter[] = []
    for (const item of added) {
      parameters.push(...rowOf(item))
      if (parameters.length < ROWS_AT_ONCE * columns.length) continue
      yield { sql: many, parameters }
      parameters = []
    }
    const one = insertion(table, columns, 1)
    for (let begin = 0; begin < parameters.length; begin += columns.length)
      yield { sql: one, parameters: parameters.slice(begin, begin + columns.length) }
  },
  update: (of, rows) => rows.map((changed) => updateOf(of, changed)),
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
const updateOf = ({ table, columns }: Columns, { row, before }: ChangedRow): Statement => {
  const stored = before()
  const names: string[] = []
  const parameters: Parameter[] = []
  for (const [index, { name }] of columns.entries()) {
    const value = row[index] ?? null
    if (value === stored[index]) continue
    names.push(`${name} = ?`)
    parameters.push(value)
  }
  return {
    sql: `UPDATE ${table} SET ${names.join(', ')} WHERE scope = ? AND key = ?`,
    parameters: [...parameters, ...row.slice(0, 2)],
  }
}
