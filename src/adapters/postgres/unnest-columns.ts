import type { Parameter } from '../sql/statement.js'

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
