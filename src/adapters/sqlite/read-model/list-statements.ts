import type { SQLInputValue } from 'node:sqlite'
import type {
  Condition,
  ListQuery,
  SortKey,
  SortValue,
  ViewType,
} from '../../../ports/read-model.js'
import { afterPrefix } from '../../../projections/code-point-order.js'
import { filterableText } from '../../../projections/condition.js'
import { foldCase } from '../../../projections/fold-case.js'
import { listedScope } from '../../../projections/place.js'
import { fieldNamed, viewFields } from '../../../projections/view-fields.js'
import { SHOWN_COLUMNS } from './object-rows.js'
import { expressionOf, foldedColumn, tableOf } from './tables.js'

/** SQL, or a part of it, and the values of its question marks. */
export interface Statement {
  readonly sql: string
  readonly parameters: readonly SQLInputValue[]
}

/** How one row more than the page of `query` is found, so as to see whether any follow. */
export const pageStatement = (query: ListQuery<ViewType>): Statement => {
  const { type, after, limit } = query
  const met = meeting(query)
  const sort = query.sort.map(ordering(query))
  const place = after === undefined ? [] : [following(sort, after)]
  const { sql, parameters } = allOf([...met, ...place])
  const order = sort.map(({ text, direction }) => `${text} ${direction}`)
  return {
    sql: `SELECT ${SHOWN_COLUMNS} FROM ${tableOf(type)} WHERE ${sql} ORDER BY ${order.join(', ')} LIMIT ?`,
    parameters: [...parameters, limit + 1],
  }
}

/** How the rows on all pages of `query` are counted. */
export const countStatement = (query: ListQuery<ViewType>): Statement => {
  const { sql, parameters } = allOf(meeting(query))
  return { sql: `SELECT count(*) FROM ${tableOf(query.type)} WHERE ${sql}`, parameters }
}

const meeting = (query: ListQuery<ViewType>): readonly Statement[] => [
  { sql: 'scope = ?', parameters: [listedScope(query)] },
  ...query.conditions.map((condition) => meets(query.type, condition)),
]

const allOf = (parts: readonly Statement[]): Statement => ({
  sql: parts.map(({ sql }) => sql).join(' AND '),
  parameters: parts.flatMap(({ parameters }) => parameters),
})

/** A {@link SortKey} in SQL. */
interface Ordering {
  readonly text: string
  readonly direction: SortKey['direction']
}

/**
 * A plus makes SQLite look conditions up and sort what it finds; it would rather read all rows in the
 * order of their keys.
 */
const ordering = ({ type, conditions }: ListQuery<ViewType>) => {
  const plus = conditions.some(({ operator }) => operator !== 'contains') ? '+' : ''
  return ({ field, direction }: SortKey): Ordering => {
    fieldNamed<never>(viewFields[type], field)
    return { text: `${plus}${expressionOf(type, field)}`, direction }
  }
}

/** Where case counts, the folded text is looked at all the same: it alone has an index. */
const meets = (type: ViewType, { field, operator, value, ignoreCase }: Condition): Statement => {
  filterableText<never>(viewFields[type], field)
  // Half a character is no text, and SQLite would take it for another character.
  if (!value.isWellFormed()) return { sql: 'FALSE', parameters: [] }
  const folded = compares(foldedColumn(field), operator, foldCase(value))
  if (ignoreCase) return folded
  const exact = compares(expressionOf(type, field), operator, value)
  return operator === 'contains' ? exact : allOf([folded, exact])
}

const compares = (text: string, operator: Condition['operator'], value: string): Statement => {
  switch (operator) {
    case 'equals':
      return { sql: `${text} = ?`, parameters: [value] }
    case 'startsWith':
      return startsWith(text, value)
    case 'contains':
      return { sql: `instr(${text}, ?) > 0`, parameters: [value] }
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
  [key, ...others]: readonly Ordering[],
  [value = '', ...values]: readonly SortValue[],
): Statement => {
  if (key === undefined) return { sql: 'FALSE', parameters: [] }
  const bound = typeof value === 'boolean' ? Number(value) : value
  const beyond = key.direction === 'asc' ? '>' : '<'
  if (others.length === 0) return { sql: `${key.text} ${beyond} ?`, parameters: [bound] }
  const rest = following(others, values)
  return {
    // The first comparison alone says nothing new, but can be looked up in an index.
    sql: `${key.text} ${beyond}= ? AND (${key.text} ${beyond} ? OR (${rest.sql}))`,
    parameters: [bound, bound, ...rest.parameters],
  }
}
