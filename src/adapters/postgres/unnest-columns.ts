import type { Parameter } from '../sql/dialect.js'

/** How a parameter holds the values of a column: as an array of a type, or as {@link toJsonLines}. */
type Column = 'bigint' | 'boolean' | 'text' | 'lines'

/**
 * A query for rows whose `columns` are in a `parameter` each, in order, all of one length. In the select list
 * they come row by row; `FROM` would store all values first, a fifteenth of the time of a catch-up. With its schema:
 * outside `FROM`, a function of the host could be taken for it.
 */
export const unnestColumns = (
  columns: readonly Column[],
  parameter = (index: number): string => `$${index + 1}`,
): string =>
  `SELECT ${columns.map((column, index) => `pg_catalog.unnest(${arrayIn(parameter(index), column)})`).join()}`

/** JSON has no line breaks. */
const arrayIn = (parameter: string, column: Column): string =>
  column === 'lines' ? `string_to_array(${parameter}, E'\\n')` : `${parameter}::${column}[]`

/**
 * JSON texts as one parameter. As elements of an array, each of their quotes would have to be escaped, and
 * unescaped by the server.
 */
export const toJsonLines = (texts: readonly Parameter[]): string => texts.join('\n')

/**
 * `texts` as a parameter of type `text[]`; null is the NULL of SQL. JSON writes them as PostgreSQL would as long as
 * there is nothing to escape, and much faster.
 */
export const textArray = (texts: readonly Parameter[]): string => {
  const json = JSON.stringify(texts)
  if (!json.includes('\\')) return `{${json.slice(1, -1)}}`
  return `{${texts.map((text) => (text === null ? 'NULL' : escaped(String(text)))).join()}}`
}

const escaped = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`

/** `numbers` as a parameter of type `bigint[]`; null is the NULL of SQL. */
export const bigintArray = (numbers: readonly Parameter[]): string =>
  `{${(numbers.includes(null) ? numbers.map((number) => number ?? 'NULL') : numbers).join()}}`
