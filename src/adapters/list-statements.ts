import type { Condition, ListQuery, SortKey, SortValue, ViewType } from '../ports/read-model.js'
import { afterPrefix } from '../projections/code-point-order.js'
import { filterableText } from '../projections/condition.js'
import { foldCase } from '../projections/fold-case.js'
import { fieldNamed, identityField, viewFields } from '../projections/view-fields.js'
import { SHOWN_COLUMNS } from './kept-rows.js'
import { foldedColumn, isKey, plainKey } from './read-tables.js'

/** SQL, or a part of it, and the values of its question marks. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly (string | number | bigint)[]
}

/** What one database says otherwise than another. */
export interface Dialect {
  /** The table of the objects of a type. */
  readonly table: (type: ViewType) => string
  /** A field without a column of its own, out of `shown`; text is ordered by code point. */
  readonly shown: (field: string) => string
  /** An expression that rows are put in order by once they were found through `conditions`. */
  readonly ordered: (expression: string, conditions: readonly Condition[]) => string
  /** Whether a text holds another one, which is the parameter. */
  readonly contains: (text: string) => string
  readonly flag: (value: boolean) => string | number
  /** The table of the history. */
  readonly history: string
  /** The table of the numbers of names. */
  readonly names: string
  /** Whether a text is one of a list, which is the parameter, as JSON. */
  readonly isListed: (text: string) => string
}

/** A query, and the number of the scope that it reads. */
export interface NumberedQuery extends ListQuery<ViewType> {
  readonly scope: number
}

/** How one row more than the page of `query` is found, so as to see whether any follow. */
export const pageStatement = (dialect: Dialect, query: NumberedQuery): Statement => {
  const { type, after, limit } = query
  const met = meeting(dialect, query)
  const sort = query.sort.map(ordering(dialect, query))
  const place = after === undefined ? [] : [following(dialect, sort, after)]
  const { sql, parameters } = allOf([...met, ...place])
  const order = sort.map(({ text, direction }) => `${text} ${direction}`)
  return {
    sql: `SELECT ${SHOWN_COLUMNS} FROM ${dialect.table(type)} WHERE ${sql} ORDER BY ${order.join(', ')} LIMIT ?`,
    parameters: [...parameters, limit + 1],
  }
}

/** How the rows on all pages of `query` are counted. */
export const countStatement = (dialect: Dialect, query: NumberedQuery): Statement => {
  const { sql, parameters } = allOf(meeting(dialect, query))
  return { sql: `SELECT count(*) FROM ${dialect.table(query.type)} WHERE ${sql}`, parameters }
}

/** What rows are ordered by, and compared with where case counts. */
const expressionOf = (dialect: Dialect, type: ViewType, field: string): string => {
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
      return dialect.shown(field)
  }
}

const meeting = (dialect: Dialect, query: NumberedQuery): readonly Statement[] => {
  const tests = query.conditions.map((condition) => meets(dialect, query, condition))
  return tests.some(({ namesScope }) => namesScope) ? tests : [inScope(query), ...tests]
}

const inScope = ({ scope }: NumberedQuery): Statement => ({
  sql: 'scope = ?',
  parameters: [scope],
})

/** What meets all of `parts`. */
export const allOf = (parts: readonly Statement[]): Statement => ({
  sql: parts.map(({ sql }) => sql).join(' AND '),
  parameters: parts.flatMap(({ parameters }) => parameters),
})

/** A {@link SortKey} in SQL. */
interface Ordering {
  readonly text: string
  readonly direction: SortKey['direction']
}

const ordering =
  (dialect: Dialect, { type, conditions }: ListQuery<ViewType>) =>
  ({ field, direction }: SortKey): Ordering => {
    fieldNamed<never>(viewFields[type], field)
    return { text: dialect.ordered(expressionOf(dialect, type, field), conditions), direction }
  }

/** A condition in SQL. */
interface Test extends Statement {
  /** Whether it says of which scope, so that nothing else need. */
  readonly namesScope?: true
}

const meets = (dialect: Dialect, query: NumberedQuery, condition: Condition): Test => {
  const { field, value } = condition
  filterableText<never>(viewFields[query.type], field)
  // Half a character is no text, and a database would take it for another character.
  if (!value.isWellFormed()) return { sql: 'FALSE', parameters: [] }
  return isKey(query.type, field)
    ? keyMeets(dialect, query, condition)
    : textMeets(dialect, query, condition)
}

/** A plain key has no folded text: where case does not count it is looked for by itself. */
const keyMeets = (
  dialect: Dialect,
  query: NumberedQuery,
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
    : lookedUp(inScope(query), [byKey, byFolded])
}

/** Where case counts, the folded text is looked at all the same: it alone has an index. */
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

const eitherOf = (one: Statement, other: Statement): Statement => ({
  sql: `(${one.sql} OR ${other.sql})`,
  parameters: [...one.parameters, ...other.parameters],
})

/** Either of two tests. Were the scope beside them, SQLite would look at all of it instead. */
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

/** Rows that come after the place: by the first field, or are equal in it and so on. */
const following = (
  dialect: Dialect,
  [key, ...others]: readonly Ordering[],
  [value = '', ...values]: readonly SortValue[],
): Statement => {
  if (key === undefined) return { sql: 'FALSE', parameters: [] }
  const bound = typeof value === 'boolean' ? dialect.flag(value) : value
  const beyond = key.direction === 'asc' ? '>' : '<'
  if (others.length === 0) return { sql: `${key.text} ${beyond} ?`, parameters: [bound] }
  const rest = following(dialect, others, values)
  return {
    // The first comparison alone says nothing new, but can be looked up in an index.
    sql: `${key.text} ${beyond}= ? AND (${key.text} ${beyond} ? OR (${rest.sql}))`,
    parameters: [bound, bound, ...rest.parameters],
  }
}
