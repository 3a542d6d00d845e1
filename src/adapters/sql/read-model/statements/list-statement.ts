import type { ListQuery, SortKey, SortValue, ViewType } from '../../../../ports/read-model.js'
import { isOfRoleKeys } from '../../../../projections/rows/condition.js'
import { fieldNamed, viewFields } from '../../../../projections/rows/view-fields.js'
import type { Dialect } from '../../dialect.js'
import { allOf, type Statement } from '../../statement.js'
import { OBJECTS, positionColumns } from '../tables.js'
import { readColumns } from './assigned.js'
import { expressionOf, meeting } from './conditions.js'

/** Finds the positions, and how many rows are on all pages of `query`. */
export const momentStatement = (dialect: Dialect, query: ListQuery<ViewType>): Statement => {
  const { sql, parameters } = countStatement(dialect, query)
  return { sql: `SELECT ${positionColumns(dialect)}, (${sql}) AS total`, parameters }
}

/** The same, and the page as one text. */
export const momentAndPageStatement = (
  dialect: Dialect,
  query: ListQuery<ViewType>,
  asLines: NonNullable<Dialect['asLines']>,
): Statement => {
  const moment = momentStatement(dialect, query)
  const sort = query.sort.map(ordering(dialect, query))
  const sorted = sort.map(({ text }, index) => `${text} AS sort_${index}`)
  const columns = readColumns(dialect, query.type)
  const page = pageStatement(dialect, query, [...columns, ...sorted])
  const order = sort.map(({ direction }, index) => `sort_${index} ${direction}`)
  return {
    sql: `${moment.sql}, ${asLines(page.sql, columns.map(nameOf), order.join(', '))}`,
    parameters: [...moment.parameters, ...page.parameters],
  }
}

/** The name of a selected column. */
const nameOf = (column: string): string => column.split(' AS ').at(-1) ?? column

/** Finds the page of `query` and one row more, which shows that more follow. */
export const pageStatement = (
  dialect: Dialect,
  query: ListQuery<ViewType>,
  columns: readonly string[] = readColumns(dialect, query.type),
): Statement => {
  const { type, after, limit } = query
  const sort = query.sort.map(ordering(dialect, query))
  const later = after === undefined ? [] : [following(dialect, sort, after)]
  const { sql, parameters } = allOf([...meeting(dialect, query), ...later])
  const order = sort.map(({ text, direction }) => `${text} ${direction}`)
  return {
    sql: `SELECT ${columns.join(', ')} FROM ${dialect.table(OBJECTS[type])}
      WHERE ${sql} ORDER BY ${order.join(', ')} LIMIT ?`,
    parameters: [...parameters, limit + 1],
  }
}

/** Counts the rows on all pages of `query`. */
export const countStatement = (dialect: Dialect, query: ListQuery<ViewType>): Statement => {
  const { sql, parameters } = allOf(meeting(dialect, query))
  return {
    sql: `SELECT count(*) FROM ${dialect.table(OBJECTS[query.type])} WHERE ${sql}`,
    parameters,
  }
}

/** A {@link SortKey} in SQL. */
interface Ordering {
  readonly text: string
  readonly direction: SortKey['direction']
}

const ordering =
  (dialect: Dialect, { type, conditions }: ListQuery<ViewType>) =>
  ({ field, direction }: SortKey): Ordering => {
    fieldNamed<never>(viewFields[type], field)
    // No row is found by the roles that it has.
    const finding = conditions.filter((condition) => !isOfRoleKeys(type, condition))
    return { text: dialect.ordered(expressionOf(dialect, type, field), finding), direction }
  }

/** Whether a row comes after the one that has `values` in the fields of the order. */
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
    // The first comparison is redundant, but an index can be used for it.
    sql: `${key.text} ${beyond}= ? AND (${key.text} ${beyond} ? OR (${rest.sql}))`,
    parameters: [bound, bound, ...rest.parameters],
  }
}
