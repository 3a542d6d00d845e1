import { aggregates } from '../../../domain/aggregates.js'
import type {
  Condition,
  ListQuery,
  SortKey,
  SortValue,
  ViewType,
} from '../../../ports/read-model.js'
import {
  afterPrefix,
  filterableText,
  foldCase,
  isOfRoleKeys,
} from '../../../projections/row-order.js'
import { listedScope } from '../../../projections/rows.js'
import { fieldNamed, identityField, viewFields } from '../../../projections/view-fields.js'
import { allOf, type Dialect, type Statement } from '../dialect.js'
import { foldedColumn, isKey, PROJECT_SCOPE, plainKey, READ_COLUMNS } from './stored-rows.js'
import { ASSIGNMENTS, NAMES, OBJECTS, positionColumns } from './tables.js'

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
      const { [field]: shown } = aggregates[type].fields
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

/** The columns of a stored row, as `decodeRow` reads them. */
export const readColumns = (dialect: Dialect, type: ViewType): readonly string[] =>
  withAssigned(dialect, type, ['role'])

/** The same columns of a row that is to be changed, with the assignments that have not ended. */
export const changedColumns = (dialect: Dialect, type: ViewType): readonly string[] =>
  withAssigned(dialect, type, ['role', 'CAST(given AS text)', 'expires_at'])

const withAssigned = (
  dialect: Dialect,
  type: ViewType,
  shown: readonly string[],
): readonly string[] => {
  if (aggregates[type].assignments?.assigns === undefined) return READ_COLUMNS
  const owner = `(SELECT name FROM ${dialect.table(NAMES)} WHERE number = ${dialect.table(OBJECTS[type])}.scope)`
  const assigned = `SELECT ${dialect.jsonRows(shown)} ${assignedBy(dialect, type, owner)}`
  return [...READ_COLUMNS, `(${assigned}) AS assigned`]
}

/**
 * Selects from the assignments, called `assigned`, of a row of that type, those that have not ended.
 *
 * @param owner - the organization that the object belongs to, in SQL; not read where {@link isOfProject}
 */
export const assignedBy = (dialect: Dialect, type: ViewType, owner: string): string => {
  const { table } = dialect
  const row = table(OBJECTS[type])
  // What lies in a project is assigned to the organization that it names, other grants to a user of their own one.
  const holder = isOfProject(type)
    ? `assigned.scope = ${row}.scope AND assigned.org = ${row}.key AND assigned.user_id = ''`
    : `assigned.scope = ${row}.${PROJECT_SCOPE} AND assigned.org = ${owner}
      AND assigned.user_id = ${row}.user_id`
  return `FROM ${table(ASSIGNMENTS)} AS assigned WHERE ${holder} AND assigned.end_at IS NULL`
}

/** Whether objects of that type lie in a project. */
export const isOfProject = (type: ViewType): boolean => aggregates[type].container !== undefined
