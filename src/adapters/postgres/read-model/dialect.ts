import {
  allOf,
  type Column,
  type Dialect,
  namedTexts,
  type Parameter,
  type Row,
  type Statement,
  type Steps,
  type Table,
} from '../../sql/dialect.js'
import { CHECKPOINT, createTables } from '../../sql/read-model/tables.js'
import type { Statement as Prepared } from '../connection/connection.js'
import { bigintArray, textArray, toJsonLines, unnestColumns } from '../unnest-columns.js'

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
  named: namedTexts(),
  table: ({ name }) => `${schema}.${name}`,
  fieldInBody: (field) => `(body::json ->> '${field}'::text) COLLATE "C"`,
  // JSON has neither tabs nor line breaks.
  asLines: (page, columns, order) => `(SELECT pg_catalog.string_agg(
    pg_catalog.concat_ws(E'\\t', ${columns.join(', ')}), E'\\n' ORDER BY ${order}) FROM (${page}) AS page)`,
  listInBody: (body, field) =>
    `pg_catalog.json_array_elements(${body}::json -> '${field}'::text) AS listed (value)`,
  jsonRows: (expressions) =>
    `COALESCE(pg_catalog.json_agg(pg_catalog.json_build_array(${expressions.join(', ')}))::text, '[]')`,
  ordered: (expression) => expression,
  contains: (text) => `strpos(${text}, ?) > 0`,
  // As in JSON: false sorts before true.
  flag: String,
  isListed: (text, list) => ({
    sql: `${text} = ANY (?::text[])`,
    parameters: [textArray(list)],
  }),
  wantedKeys: (keys) => ({
    sql: `unnest(?::bigint[], ?::text[]) WITH ORDINALITY AS wanted (scope, key, nth)`,
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
  setWhereNull: (table, { by, set }, items) => {
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

/**
 * The SQL of reads that check which server runs them: on a server of the other kind the checkpoint is 0. Behind a
 * pooler or after a promotion, a connection may lead to such a server.
 *
 * @param schema - quoted
 */
export const readingDialect = (schema: string, server: 'primary' | 'standby'): Dialect => {
  const dialect = postgresDialect(schema)
  const checkpoint = dialect.table(CHECKPOINT)
  const isThere = server === 'standby' ? 'pg_is_in_recovery()' : 'NOT pg_is_in_recovery()'
  return {
    ...dialect,
    table: (table) =>
      table.name === CHECKPOINT.name
        ? `(SELECT position FROM ${checkpoint} WHERE ${isThere}) AS of_${server}`
        : dialect.table(table),
  }
}

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
  columns.map(({ holds }, index) => parameterOf[holds](rows.map((row) => valueAt(row, index))))

const valueAt = (row: Row, index: number): Parameter => {
  const value = row[index]
  if (value === undefined) throw new Error('A row must have a value for each column')
  return value
}

const parameterOf = { integer: bigintArray, text: textArray, json: toJsonLines } as const

/**
 * One statement that runs all of `writes`, in any order, if `guard` finds a row, and then finds one itself. The commit
 * does not wait for the disk: lost rows are rebuilt from the log.
 *
 * @param writes - each ends with a condition; there may be none
 */
export const guarded = (guard: Statement, writes: readonly Statement[]): Statement => {
  const parts = [`guard AS (${guard.sql})`]
  for (const [index, { sql }] of writes.entries())
    parts.push(`write_${index} AS (${sql} AND EXISTS (SELECT FROM guard))`)
  return {
    sql: `WITH ${parts.join(', ')}
      SELECT pg_catalog.set_config('synchronous_commit', 'off', TRUE) FROM guard`,
    parameters: allOf([guard, ...writes]).parameters,
  }
}

/** Runs one statement. */
export type Ask = (statement: Statement) => Promise<readonly Row[]>

/** Runs statement after statement. */
export const run = async <Value>(ask: Ask, steps: Steps<Value>): Promise<Value> => {
  let step = steps.next()
  while (!step.done) step = steps.next(await ask(step.value))
  return step.value
}

/**
 * Creates the tables of the read model.
 *
 * @param schema - quoted
 */
export const createReadTables = (schema: string): string => {
  const dialect = postgresDialect(schema)
  const checkpoint = dialect.table(CHECKPOINT)
  // Without the replica identity, a publication of all tables would forbid updates of a table without a key.
  return `${createTables(dialect)}
    ALTER TABLE ${checkpoint} REPLICA IDENTITY FULL;
    INSERT INTO ${checkpoint} (position) VALUES (0);`
}

/** `sql` with the numbers that parameters have in PostgreSQL. */
export const numbered = (sql: string): string => {
  let number = 0
  return sql.replaceAll('?', () => `$${++number}`)
}

/**
 * Makes statements for PostgreSQL; the text of a named one once.
 *
 * @param schema - quoted; the statements of other schemas have other names
 * @param mark - one character, for statements that have another text under the same name; a pool may serve both
 */
export const preparer = (schema: string, mark = ' '): ((statement: Statement) => Prepared) => {
  const texts = new Map<string, string>()
  return ({ sql, parameters, name }) => {
    const values = [...parameters]
    if (name === undefined) return { text: numbered(sql), values }
    const text = texts.get(name) ?? numbered(sql)
    texts.set(name, text)
    return { name: `${schema}${mark}${name}`, text, values }
  }
}
