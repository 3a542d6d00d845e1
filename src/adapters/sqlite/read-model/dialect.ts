import type { ChangedRow, Dialect, Table } from '../../sql/dialect.js'
import type { Parameter, Statement } from '../../sql/statement.js'

/** Rows that one statement adds when there are so many: to run one costs as much as a row does. */
const ROWS_AT_ONCE = 128

/** The SQL of SQLite. */
export const sqliteDialect: Dialect = {
  declarations: {
    types: { integer: 'INTEGER', text: 'TEXT', json: 'TEXT' },
    ifMissing: 'IF NOT EXISTS',
    options: 'STRICT',
    layout: byRowId,
  },
  table: ({ name }) => name,
  fieldInBody: (field) => `body ->> '$.${field}'`,
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
  *insert(table, added, rowOf) {
    const { length } = table.columns
    const many = insertion(table, ROWS_AT_ONCE)
    let parameters: Parameter[] = []
    for (const item of added) {
      parameters.push(...rowOf(item))
      if (parameters.length < ROWS_AT_ONCE * length) continue
      yield { sql: many, parameters }
      parameters = []
    }
    const one = insertion(table, 1)
    for (let begin = 0; begin < parameters.length; begin += length)
      yield { sql: one, parameters: parameters.slice(begin, begin + length) }
  },
  update: (table, rows) => rows.map((changed) => updateOf(table, changed)),
  remove: ({ name }, keys) =>
    keys.map((parameters) => ({
      sql: `DELETE FROM ${name} WHERE scope = ? AND key = ?`,
      parameters,
    })),
}

/** SQLite finds a row fastest by an integer that is its primary key, and ends every index with it. */
function byRowId(table: Table): Table {
  const { rowId, key, indexes } = table
  if (rowId === undefined) return table
  const rest = key.filter((name) => name !== rowId)
  return {
    ...table,
    key: [rowId],
    indexes: [{ name: rest.join('_'), columns: rest }, ...indexes].map((index) => ({
      ...index,
      columns: index.columns.filter((name) => name !== rowId),
    })),
  }
}

/** FAIL keeps no copy of what one statement changes: a fault undoes the whole transaction anyway. */
const insertion = ({ name, columns }: Table, count: number): string => {
  const row = `(${columns.map(() => '?').join(', ')})`
  const names = columns.map(({ name }) => name).join(', ')
  return `INSERT OR FAIL INTO ${name} (${names}) VALUES ${Array(count).fill(row).join(', ')}`
}

/** SQLite writes to the index of every column named, also when its value is the same. */
const updateOf = ({ name: table, columns }: Table, { row, before }: ChangedRow): Statement => {
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
