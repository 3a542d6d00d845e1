import type { Dialect } from '../../list-statements.js'
import { HISTORY, NAMES, tableOf } from '../../read-tables.js'

/**
 * How PostgreSQL reads lists.
 *
 * @param schema - quoted
 */
export const postgresDialect = (schema: string): Dialect => ({
  table: (type) => `${schema}.${tableOf(type)}`,
  shown: (field) => `(shown::json ->> '${field}'::text) COLLATE "C"`,
  ordered: (expression) => expression,
  contains: (text) => `strpos(${text}, ?) > 0`,
  // As JSON has it: false comes before true.
  flag: String,
  history: `${schema}.${HISTORY}`,
  names: `${schema}.${NAMES}`,
  isListed: (text) => `${text} IN (SELECT json_array_elements_text(?::json))`,
})
