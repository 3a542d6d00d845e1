import type { Dialect, Index, Table } from '../dialect.js'
import { CHECKPOINT, FILLED } from './tables.js'

/** SQL that creates all tables. */
export const createTables = (dialect: Dialect): string =>
  [CHECKPOINT, ...FILLED].map((table) => createTable(dialect, table)).join('\n')

const createTable = (dialect: Dialect, declared: Table): string => {
  const { types, ifMissing, options, layout } = dialect.declarations
  const table = layout(declared)
  const columns = table.columns.map(
    ({ name, holds, isNullable }) => `${name} ${types[holds]} ${isNullable ? 'NULL' : 'NOT NULL'}`,
  )
  const key = table.key.length > 0 ? [`PRIMARY KEY (${table.key.join(', ')})`] : []
  return [
    `CREATE TABLE ${ifMissing} ${dialect.table(table)} (${[...columns, ...key].join(', ')}) ${options};`,
    ...table.indexes.map((index) => createIndex(dialect, table, index)),
  ].join('\n')
}

const createIndex = (dialect: Dialect, table: Table, index: Index): string => {
  const { ifMissing } = dialect.declarations
  const nullable = table.columns.find(
    ({ name, isNullable }) => isNullable && index.columns.includes(name),
  )
  const where = nullable ? `WHERE ${nullable.name} IS NOT NULL` : ''
  return `CREATE ${index.isUnique ? 'UNIQUE ' : ''}INDEX ${ifMissing} ${table.name}_${index.name}
    ON ${dialect.table(table)} (${index.columns.join(', ')}) ${where};`
}
