import type { Parameter } from '../sql/statement.js'

/** What a parameter holds the values of a column as: an array of a type, or what {@link toJsonLines} made. */
type Column = 'bigint' | 'boolean' | 'text' | 'lines'

/**
 * A query for rows that take each of `columns` from a `parameter`, in order; all of one length. In the list of the
 * query they come row by row; `FROM` would lay all values aside first, a fifteenth of the time of a catch-up.
 * With its schema, for only in `FROM` no function of a host's can be taken for it.
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
 * JSON texts as one parameter. As elements of an array each of their quotes would have to be escaped,
 * here and there again.
 */
export const toJsonLines = (texts: readonly Parameter[]): string => texts.join('\n')
