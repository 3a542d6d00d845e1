import { kinds } from '../../../../domain/kinds.js'
import type { Condition, ListQuery, ViewType } from '../../../../ports/read-model.js'
import { afterPrefix } from '../../../../projections/rows/code-point-order.js'
import { filterableText, isOfRoleKeys } from '../../../../projections/rows/condition.js'
import { foldCase } from '../../../../projections/rows/fold-case.js'
import { listedScope } from '../../../../projections/rows/row-key.js'
import { identityField, viewFields } from '../../../../projections/rows/view-fields.js'
import type { Dialect } from '../../dialect.js'
import { allOf, type Statement } from '../../statement.js'
import { foldedColumn, isKey, plainKey } from '../folded-fields.js'
import { NAMES } from '../tables.js'
import { assignedBy, isOfProject } from './assigned.js'

/** The conditions of a row on any page of `query`. */
export const meeting = (dialect: Dialect, query: ListQuery<ViewType>): readonly Statement[] => {
  const tests = query.conditions.map((condition) => meets(dialect, query, condition))
  return tests.some(({ namesScope }) => namesScope) ? tests : [inScope(dialect, query), ...tests]
}

const inScope = (dialect: Dialect, query: ListQuery<ViewType>): Statement =>
  query.isReceived
    ? { sql: 'key = ?', parameters: [query.orgId] }
    : isNamed(dialect, 'scope', listedScope(query))

/** Whether `column` holds the number of `name`. */
export const isNamed = (dialect: Dialect, column: string, name: string): Statement => ({
  sql: holdsNumber(dialect, column),
  parameters: [name],
})

/** Whether `column` holds the number of a name, which is the parameter. */
export const holdsNumber = ({ table }: Dialect, column: string): string =>
  `${column} = (SELECT number FROM ${table(NAMES)} WHERE name = ?)`

/** The value of a field, by which rows are ordered, and compared where case counts. */
export const expressionOf = (dialect: Dialect, type: ViewType, field: string): string => {
  switch (field) {
    case identityField[type]:
      return 'key'
    case 'sequence':
      return 'sequence'
    case 'changeDate':
      return '(sequence / 1000)'
    case 'creationDate':
      return 'creation_date'
    default: {
      const { [field]: shown } = kinds[type].fields
      const text = dialect.fieldInBody(field)
      return shown?.holds === 'string' && shown.isOptional ? `coalesce(${text}, '')` : text
    }
  }
}

/** A condition in SQL. */
interface Test extends Statement {
  /** Whether it names the scope, which then needs no condition of its own. */
  readonly namesScope?: true
}

const meets = (dialect: Dialect, query: ListQuery<ViewType>, condition: Condition): Test => {
  const { field, value } = condition
  const isRole = isOfRoleKeys(query.type, condition)
  if (!isRole) filterableText<never>(viewFields[query.type], field)
  // A lone surrogate is no text, and a database would take it for another character.
  if (!value.isWellFormed()) return { sql: 'FALSE', parameters: [] }
  if (isRole) return roleMeets(dialect, query, condition)
  return isKey(query.type, field)
    ? keyMeets(dialect, query, condition)
    : textMeets(dialect, query, condition)
}

/** A plain key has no folded text: where case does not count, the key itself is compared. */
const keyMeets = (
  dialect: Dialect,
  query: ListQuery<ViewType>,
  { field, operator, value, ignoreCase }: Condition,
): Test => {
  const key = expressionOf(dialect, query.type, field)
  if (!ignoreCase) return compares(dialect, key, { operator, value })
  const sought = foldCase(value)
  const plain = plainKey(sought)
  const byFolded = compares(dialect, foldedColumn(field), { operator, value: sought })
  if (plain === undefined) return byFolded
  const byKey = compares(dialect, key, { operator, value: plain })
  return operator === 'contains'
    ? eitherOf(byKey, byFolded)
    : lookedUp(inScope(dialect, query), [byKey, byFolded])
}

/** Where case counts, the folded text is compared as well: it alone has an index. */
const textMeets = (
  dialect: Dialect,
  { type }: ListQuery<ViewType>,
  { field, operator, value, ignoreCase }: Condition,
): Test => {
  const folded = compares(dialect, foldedColumn(field), { operator, value: foldCase(value) })
  if (ignoreCase) return folded
  const exact = compares(dialect, expressionOf(dialect, type, field), { operator, value })
  return operator === 'contains' ? exact : allOf([folded, exact])
}

/** One of the roles that are shown meets the condition. */
const roleMeets = (
  dialect: Dialect,
  { type, orgId }: ListQuery<ViewType>,
  { operator, value, ignoreCase }: Condition,
): Test => {
  const { sql, parameters } = ignoreCase
    ? compares(dialect, 'folded_role', { operator, value: foldCase(value) })
    : compares(dialect, 'role', { operator, value })
  return {
    sql: `EXISTS (SELECT 1 ${assignedBy(dialect, type, '?')} AND ${sql})`,
    parameters: [...(isOfProject(type) ? [] : [orgId]), ...parameters],
  }
}

const eitherOf = (one: Statement, other: Statement): Statement => ({
  sql: `(${one.sql} OR ${other.sql})`,
  parameters: [...one.parameters, ...other.parameters],
})

/** Either of two tests. With the scope outside of them SQLite would read all rows of the scope instead. */
const lookedUp = (scope: Statement, [one, other]: readonly [Statement, Statement]): Test => ({
  ...eitherOf(allOf([scope, one]), allOf([scope, other])),
  namesScope: true,
})

const compares = (
  dialect: Dialect,
  text: string,
  { operator, value }: Pick<Condition, 'operator' | 'value'>,
): Statement => {
  switch (operator) {
    case 'equals':
      return { sql: `${text} = ?`, parameters: [value] }
    case 'startsWith':
      return startsWith(text, value)
    case 'contains':
      return { sql: dialect.contains(text), parameters: [value] }
  }
}

const startsWith = (text: string, prefix: string): Statement => {
  const end = afterPrefix(prefix)
  return end === undefined
    ? { sql: `${text} >= ?`, parameters: [prefix] }
    : { sql: `${text} >= ? AND ${text} < ?`, parameters: [prefix, end] }
}
