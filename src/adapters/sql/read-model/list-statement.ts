import type { ListQuery, SortKey, SortValue, ViewType } from '../../../ports/read-model.js'
import { fieldNamed, viewFields } from '../../../projections/view-fields.js'
import type { Dialect } from '../dialect.js'
import { allOf, type Statement } from '../statement.js'
import { expressionOf, meeting } from './conditions.js'
import { SHOWN_COLUMNS } from './stored-rows.js'
import { positionColumns, tableOf } from './tables.js'

/**
 * How the page of `query` is found, as of one moment: the position of the log's last event, the checkpoint, and how
 * many rows there are on all pages, beside each row of the page; once without a row when the page is empty.
 */
export const listStatement = (dialect: Dialect, query: ListQuery<ViewType>): Statement => {
  const count = countStatement(dialect, query)
  const page = pageStatement(dialect, query)
  const order = query.sort.map(({ direction }, index) => `sort_${index} ${direction}`)
  return {
    sql: `SELECT head, reached, total, ${SHOWN_COLUMNS}
      FROM (SELECT ${positionColumns(dialect)}, (${count.sql}) AS total) AS moment
      LEFT JOIN (${page.sql}) AS page ON TRUE ORDER BY ${order.join(', ')}`,
    parameters: [...count.parameters, ...page.parameters],
  }
}

/** How one row more than the page of `query` is found, so as to see whether any follow. */
export const pageStatement = (dialect: Dialect, query: ListQuery<ViewType>): Statement => {
  const { type, after, limit } = query
  const sort = query.sort.map(ordering(dialect, query))
  const later = after === undefined ? [] : [following(dialect, sort, after)]
  const { sql, parameters } = allOf([...meeting(dialect, query), ...later])
  const sorted = sort.map(({ text }, index) => `${text} AS sort_${index}`)
  const order = sort.map(({ text, direction }) => `${text} ${direction}`)
  return {
    sql: `SELECT ${[SHOWN_COLUMNS, ...sorted].join(', ')} FROM ${dialect.table(tableOf(type))}
      WHERE ${sql} ORDER BY ${order.join(', ')} LIMIT ?`,
    parameters: [...parameters, limit + 1],
  }
}

/** How the rows on all pages of `query` are counted. */
export const countStatement = (dialect: Dialect, query: ListQuery<ViewType>): Statement => {
  const { sql, parameters } = allOf(meeting(dialect, query))
  return {
    sql: `SELECT count(*) FROM ${dialect.table(tableOf(query.type))} WHERE ${sql}`,
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
    return { text: dialect.ordered(expressionOf(dialect, type, field), conditions), direction }
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
