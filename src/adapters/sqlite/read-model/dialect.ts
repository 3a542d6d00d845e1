import type { ViewType } from '../../../ports/read-model.js'
import { identityField } from '../../../projections/view-fields.js'
import type { Dialect } from '../../list-statements.js'
import { HISTORY, tableOf } from '../../read-tables.js'

const expressionOf = (type: ViewType, field: string): string => {
  switch (field) {
    case identityField[type]:
      return 'key'
    case 'sequence':
      return 'sequence'
    case 'changeDate':
      return 'sequence / 1000'
    case 'creationDate':
      return 'creation_date'
    default:
      return `shown ->> '$.${field}'`
  }
}

/** How SQLite reads lists. */
export const sqliteDialect: Dialect = {
  table: tableOf,
  expression: expressionOf,
  // A plus makes SQLite look conditions up and sort what it finds; it would rather read all rows in
  // the order of their keys.
  ordered: (expression, conditions) =>
    conditions.some(({ operator }) => operator !== 'contains') ? `+${expression}` : expression,
  contains: (text) => `instr(${text}, ?) > 0`,
  flag: Number,
  history: HISTORY,
  isListed: (text) => `${text} IN (SELECT value FROM json_each(?))`,
}
