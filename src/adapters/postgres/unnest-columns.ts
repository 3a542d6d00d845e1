import type { Parameter } from '../sql/dialect.js'

/** How a parameter holds the values of a column: as an array of this type, or as {@link toJsonLines}. */
type Column = 'bigint' | 'boolean' | 'text' | 'lines'

/**
 * A query for rows from one parameter for each column. All columns have the same length. In the select list, `unnest`
 * yields row by row; in `FROM` it would store all values first, which costs a fifteenth of the time of a catch-up.
 * Outside `FROM`, a function of the host could replace `unnest`, so its schema is named.
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
 * JSON texts as one parameter. In an array, each of their quotes would have to be escaped, and unescaped by the
 * server.
 */
export const toJsonLines = (texts: readonly Parameter[]): string => texts.join('\n')

/**
 * `texts` as a parameter of type `text[]`; null becomes NULL. Without anything to escape, JSON is the same text, and much
 * faster.
 */
export const textArray = (texts: readonly Parameter[]): string => {
  const json = JSON.stringify(texts)
  if (!json.includes('\\')) return `{${json.slice(1, -1)}}`
  return `{${texts.map((text) => (text === null ? 'NULL' : escaped(String(text)))).join()}}`
}

const escaped = (text: string): string => `"${text.replaceAll(/["\\]/g, '\\$&')}"`

/** `numbers` as a parameter of type `bigint[]`; null becomes NULL. */
export const bigintArray = (numbers: readonly Parameter[]): string =>
  `{${(numbers.includes(null) ? numbers.map((number) => number ?? 'NULL') : numbers).join()}}`
