import type { ViewType } from '../../../ports/read-model.js'
import { identityField } from '../../../projections/view-fields.js'
import type { Dialect } from '../../list-statements.js'
import { HISTORY, tableOf } from '../../read-tables.js'

/**
 * How PostgreSQL reads lists.
 *
 * @param schema - quoted
 */
export const postgresDialect = (schema: string): Dialect => ({
  table: (type) => `${schema}.${tableOf(type)}`,
  expression: expressionOf,
  ordered: (expression) => expression,
  contains: (text) => `strpos(${text}, ?) > 0`,
  // As JSON has it: false comes before true.
  flag: String,
  history: `${schema}.${HISTORY}`,
  isListed: (text) => `${text} IN (SELECT json_array_elements_text(?::json))`,
})

const expressionOf = (type: ViewType, field: string): string => {
  switch (field) {
    case identityField[type]:
      return 'key'
    case 'sequence':
      return 'sequence'
    case 'changeDate':
      return '(sequence / 1000)'
    case 'creationDate':
      return 'creation_date'
    default:
      return `(shown::json ->> '${field}'::text) COLLATE "C"`
  }
}
