import type { Column, Dialect, Table } from '../../sql/dialect.js'
import type { Parameter, Row } from '../../sql/statement.js'
import { toJsonLines, unnestColumns } from '../unnest-columns.js'
import { bigintArray, textArray } from './arrays.js'

/**
 * The SQL of PostgreSQL. Each statement that writes ends with a condition.
 *
 * @param schema - quoted
 */
export const postgresDialect = (schema: string): Dialect => ({
  declarations: {
    types: { integer: 'bigint', text: 'text COLLATE "C"', json: 'text' },
    ifMissing: '',
    options: '',
    layout: (table) => table,
  },
  table: ({ name }) => `${schema}.${name}`,
  fieldInBody: (field) => `(body::json ->> '${field}'::text) COLLATE "C"`,
  // JSON has neither tabs nor line breaks.
  asLines: (page, columns, order) => `(SELECT pg_catalog.string_agg(
    pg_catalog.concat_ws(E'\\t', ${columns.join(', ')}), E'\\n' ORDER BY ${order}) FROM (${page}) AS page)`,
  jsonRows: (expressions) =>
    `COALESCE(pg_catalog.json_agg(pg_catalog.json_build_array(${expressions.join(', ')}))::text, '[]')`,
  ordered: (expression) => expression,
  contains: (text) => `strpos(${text}, ?) > 0`,
  // As JSON has it: false comes before true.
  flag: String,
  isListed: (text, list) => ({
    sql: `${text} = ANY (?::text[])`,
    parameters: [textArray(list)],
  }),
  sought: (keys) => ({
    sql: `unnest(?::bigint[], ?::text[]) WITH ORDINALITY AS sought (scope, key, nth)`,
    parameters: parametersOf(KEY, keys),
  }),
  insert: ({ name: table, columns }, items, rowOf) => {
    if (items.length === 0) return []
    const names = columns.map(({ name }) => name).join(', ')
    const sql = `INSERT INTO ${schema}.${table} (${names}) ${unnested(columns)} WHERE TRUE`
    return [{ sql, parameters: parametersOf(columns, items.map(rowOf)) }]
  },
  update: ({ name: table, columns }, items, changeOf) => {
    if (items.length === 0) return []
    const names = columns.map(({ name }) => name)
    const sql = `UPDATE ${schema}.${table} AS stored
      SET ${names.map((name) => `${name} = row_after.${name}`).join(', ')}
      FROM (${unnested(columns)}) AS row_after (${names.join(', ')})
      WHERE stored.scope = row_after.scope AND stored.key = row_after.key`
    const rows = items.map((item) => changeOf(item).after)
    return [{ sql, parameters: parametersOf(columns, rows) }]
  },
  fill: (table, { by, set }, items) => {
    if (items.length === 0) return []
    const columns = [...by, ...set].map((name) => columnNamed(table, name))
    const sql = `UPDATE ${schema}.${table.name} AS stored
      SET ${set.map((name) => `${name} = filled.${name}`).join(', ')}
      FROM (${unnested(columns)}) AS filled (${[...by, ...set].join(', ')})
      WHERE ${by.map((name) => `stored.${name} = filled.${name}`).join(' AND ')}
        AND stored.${set[0]} IS NULL`
    return [{ sql, parameters: parametersOf(columns, items) }]
  },
  remove: ({ name: table }, keys) => {
    if (keys.length === 0) return []
    const sql = `DELETE FROM ${schema}.${table} WHERE (scope, key) IN (${unnested(KEY)})`
    return [{ sql, parameters: parametersOf(KEY, keys) }]
  },
})

const KEY: readonly Column[] = [
  { name: 'scope', holds: 'integer' },
  { name: 'key', holds: 'text' },
]

const columnNamed = ({ columns }: Table, name: string): Column => {
  const column = columns.find((each) => each.name === name)
  if (column === undefined) throw new RangeError(`There is no column ${name}`)
  return column
}

const unnested = (columns: readonly Column[]): string =>
  unnestColumns(
    columns.map(({ holds }) => UNNESTED[holds]),
    () => '?',
  )

const UNNESTED = { integer: 'bigint', text: 'text', json: 'lines' } as const

/** Column by column. */
const parametersOf = (columns: readonly Column[], rows: readonly Row[]): readonly Parameter[] =>
  columns.map(({ holds }, index) => parameterOf[holds](rows.map((row) => row[index] ?? null)))

const parameterOf = { integer: bigintArray, text: textArray, json: toJsonLines } as const
