import type { ChangedRow, Dialect, Table } from '../dialect.js'
import type { Parameter, Statement } from '../statement.js'
import type { SqliteLimits } from './database.js'

/**
 * How many rows one statement adds, as long as there are so many and it may have their parameters: to run one costs as
 * much as a row does.
 */
const ROWS_AT_ONCE = [128, 16, 8, 1]

/** The SQL of SQLite. */
export const sqliteDialect = ({ maxParameters }: Pick<SqliteLimits, 'maxParameters'>): Dialect => ({
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
  jsonRows: (expressions) => `json_group_array(json_array(${expressions.join(', ')}))`,
  sought: (keys) => ({
    sql: `(SELECT value ->> 0 AS scope, value ->> 1 AS key, key + 1 AS nth FROM json_each(?)) AS sought`,
    parameters: [JSON.stringify(keys)],
  }),
  *insert(table, items, rowOf) {
    let done = 0
    for (const count of ROWS_AT_ONCE) {
      if (count * table.columns.length > maxParameters) continue
      const sql = insertion(table, count)
      for (; done + count <= items.length; done += count)
        yield { sql, parameters: items.slice(done, done + count).flatMap(rowOf) }
    }
  },
  *update(table, items, changeOf) {
    for (const item of items) yield updateOf(table, changeOf(item))
  },
  *fill({ name }, { by, set }, items) {
    const sql = `UPDATE ${name} SET ${set.map((column) => `${column} = ?`).join(', ')}
      WHERE ${by.map((column) => `${column} = ?`).join(' AND ')} AND ${set[0]} IS NULL`
    for (const item of items)
      yield { sql, parameters: [...item.slice(by.length), ...item.slice(0, by.length)] }
  },
  remove: ({ name }, keys) =>
    keys.map((parameters) => ({
      sql: `DELETE FROM ${name} WHERE scope = ? AND key = ?`,
      parameters,
    })),
})

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
const updateOf = ({ name: table, columns }: Table, { before, after }: ChangedRow): Statement => {
  const stored = before()
  const names: string[] = []
  const parameters: Parameter[] = []
  for (const [index, { name }] of columns.entries()) {
    const value = after[index] ?? null
    if (value === stored[index]) continue
    names.push(`${name} = ?`)
    parameters.push(value)
  }
  return {
    sql: `UPDATE ${table} SET ${names.join(', ')} WHERE scope = ? AND key = ?`,
    parameters: [...parameters, ...after.slice(0, 2)],
  }
}
