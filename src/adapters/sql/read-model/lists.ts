import { aggregates } from '../../../domain/aggregates.js'
import type { Position } from '../../../ports/event-store.js'
import {
  type Condition,
  type FoundAtHead,
  type Listing,
  type ListQuery,
  MAX_TOTAL_SIZE,
  type SortKey,
  type SortValue,
  type Views,
  type ViewType,
} from '../../../ports/read-model.js'
import {
  afterPrefix,
  filterableText,
  foldCase,
  multiValuedOf,
} from '../../../projections/row-order.js'
import {
  cappedTotal,
  fieldNamed,
  identityField,
  listedScope,
  viewFields,
} from '../../../projections/rows.js'
import {
  allOf,
  atLeast,
  type Dialect,
  type Integer,
  markOfSize,
  param,
  type Row,
  type Statement,
  type Steps,
  sql,
} from '../dialect.js'
import { isCurrent, type Numbers, stands, streamOf } from './counts.js'
import { type FoundGrant, GRANT_COLUMNS, shownGrant } from './grants.js'
import {
  type Current,
  currentIn,
  currentOf,
  decodeObject,
  isWithin,
  type ListedShare,
  numbersIn,
  objectColumns,
  plainKey,
  SHARES_COLUMN,
  type StoredObject,
} from './stored-rows.js'
import {
  atHead,
  foldedColumn,
  GRANTS,
  isKey,
  OBJECTS,
  oneOf,
  PERMISSIONS,
  PLACES,
  type Positions,
  positionColumns,
  SHARES,
} from './tables.js'

/** A page of objects, and how far the read model is; to be run so that all is as of one moment. */
export function* readList<Type extends ViewType>(
  dialect: Dialect,
  totals: Totals,
  query: ListQuery<Type>,
): Steps<FoundAtHead<Listing<Views[Type]>>> {
  const { type, limit } = query
  const { count, page, rest } = listStatements(dialect, query)
  const key = JSON.stringify([count.sql, ...count.parameters.map(String)])
  const total = totalOf(count, totals.get(key))
  const { moment, rows, current } = yield* momentAndPage(dialect, query, { total, page, rest })
  const [head, reached] = moment
  const sequence = BigInt(reached ?? 0)
  const found = Number(moment[2])
  keep(totals, key, { sequence, found })
  return atHead([head, reached], {
    items: rows.slice(0, limit).map((row) => decode<Type>(type, row, current)),
    hasMore: rows.length > limit,
    ...cappedTotal(found),
    sequence,
  })
}

/** The object of a row that {@link columnsOf} found. */
export const decode = <Type extends ViewType>(
  type: ViewType,
  row: Row,
  current: Current,
): Views[Type] =>
  // Casts: the statement selects the columns of the type.
  type === 'user_grant'
    ? (shownGrant(row as unknown as FoundGrant, current) as Views[Type])
    : decodeObject<Type>(type, row as unknown as StoredObject, current)

/** The columns of an object that are read. */
export const columnsOf = (type: ViewType): readonly string[] =>
  type === 'user_grant' ? GRANT_COLUMNS : objectColumns(type)

/** How many rows a list has at a checkpoint. The number stays right until the checkpoint moves. */
interface Total {
  readonly sequence: Position
  readonly found: number
}

/** The last totals, by the statements that count them. */
export type Totals = Map<string, Total>

const MAX_TOTALS = 1_000

/** Keeps a total as the newest, and forgets the oldest of too many. */
const keep = (totals: Totals, key: string, total: Total): void => {
  totals.delete(key)
  totals.set(key, total)
  const [oldest] = totals.keys()
  if (totals.size > MAX_TOTALS && oldest !== undefined) totals.delete(oldest)
}

/** The total in SQL. The database counts only if its checkpoint, `reached`, is not the one of the known total. */
const totalOf = (count: Statement, known: Total | undefined): Statement =>
  sql`CASE WHEN reached = ${param(known?.sequence ?? null)} THEN ${param(known?.found ?? null)} ELSE (${count}) END`

type Moment = readonly [...Positions, total: Integer]

/** Finds a page. */
interface Page {
  readonly page: Statement
  /** Finds what follows, if the page is not full. Absent where one statement finds both. */
  readonly rest?: Statement | undefined
}

/** A page, and the shares of its rows that are current. */
function* momentAndPage(
  dialect: Dialect,
  query: ListQuery<ViewType>,
  { total, page, rest }: Page & { readonly total: Statement },
): Steps<{ readonly moment: Moment; readonly rows: readonly Row[]; readonly current: Current }> {
  const { type, limit } = query
  const selected = sql`SELECT head, reached, ${total} AS total`
  const from = `FROM (SELECT ${positionColumns(dialect)}) AS moment`
  if (dialect.asLines === undefined) {
    const moment = oneOf<Moment>(yield sql`${selected} ${from}`)
    const first = yield page
    const rows = rest && first.length <= limit ? [...first, ...(yield rest)] : first
    return {
      moment,
      rows,
      current: givesRoles(type) ? yield* currentOn(dialect, type, rows) : NONE,
    }
  }
  const columns = columnsOf(type).map(nameOf)
  const order = query.sort.map(({ direction }, index) => `sort_${index} ${direction}`)
  const lines = dialect.asLines('SELECT * FROM page', columns, order.join(', '))
  const current = givesRoles(type) ? `(${currentOf(dialect, numbersOn(dialect))})` : 'NULL'
  const [head, reached, found, text, shares] = oneOf<
    readonly [...Moment, lines: string | null, current: string | null]
  >(
    yield {
      isRepeated: isRepeated(query),
      ...sql`WITH page AS (${page}) ${selected}, ${lines} AS lines, ${current} AS current_roles ${from}`,
    },
  )
  const rows = text?.split('\n').map(rowIn) ?? []
  return { moment: [head, reached, found], rows, current: currentIn(shares) }
}

/** Whether objects of a type give roles, and so list shares. */
export const givesRoles = (type: ViewType): boolean => columnsOf(type).includes(SHARES_COLUMN)

const NONE: Current = new Map()

/** The shares of rows that are current: fewer than rows, since most have shares that others have, too. */
function* currentOn(dialect: Dialect, type: ViewType, rows: readonly Row[]): Steps<Current> {
  const column = columnsOf(type).indexOf(SHARES_COLUMN)
  const listed: readonly ListedShare[] = JSON.parse(
    `[${rows.map((row) => row[column]).join(',')}]`,
  ).flat()
  const numbers = new Set(listed.map(([number]) => number))
  const { sql: text } = dialect.named('current', () => currentOf(dialect, numbersIn(dialect, '?')))
  const wanted = JSON.stringify(Array.from(numbers, (number) => [number]))
  const [found] = yield { sql: text, parameters: [wanted] }
  return currentIn(String(found?.[0]))
}

/** The numbers of the shares on a page, which is a table called `page`. */
const numbersOn = (dialect: Dialect): Numbers => {
  const { from, number } = numbersIn(dialect, 'page.shares')
  return { from: `page CROSS JOIN ${from}`, number }
}

/** Whether the plan of a list does not depend on what is asked for. */
const isRepeated = ({ type, conditions, sort, limit }: ListQuery<ViewType>): boolean => {
  const [first, ...others] = sort
  const isById = first?.field === identityField[type] && others.length === 0
  const isPlain = isById && conditions.every(({ operator }) => operator === 'equals')
  return isPlain && markOfSize(limit + 1) !== undefined
}

/** The name of a selected column. */
export const nameOf = (column: string): string => column.slice(column.search(/[^ .]+$/))

/** The columns of a line, which are JSON. */
const rowIn = (line: string): Row => JSON.parse(line)

/** Where the rows of a list are. */
interface Source {
  readonly from: string
  /** The organization or project of a row. */
  readonly scope: Statement
  /** What else makes a row one of the list. */
  readonly within: readonly Statement[]
  /** The columns of the order by id or key. */
  readonly key: readonly string[]
}

const sourceOf = (dialect: Dialect, query: ListQuery<ViewType>): Source => {
  const { table } = dialect
  const { type, orgId, isReceived } = query
  if (type !== 'user_grant') {
    const scope = isReceived ? undefined : listedScope(query)
    return {
      from: `${table(OBJECTS[type])} AS object`,
      scope:
        scope === undefined
          ? sql`object.key = ${param(orgId)}`
          : sql`object.scope = ${param(scope)}`,
      within: isWithin(dialect, type, scope),
      key: ['object.key'],
    }
  }
  return {
    from: `${table(PLACES)} AS place JOIN ${table(GRANTS)} AS object ON object.place = place.number`,
    scope: sql`place.org = ${param(orgId)}`,
    within: [stands(dialect, streamOf.projectOfPlace('place'), { orInactive: true }), IS_GRANTED],
    key: ['place.scope', 'object.user_id'],
  }
}

const IS_INACTIVE = sql`object.state = 'inactive'`

/** A grant to a user, called `object`, was not removed. */
export const IS_GRANTED = sql`COALESCE(object.state, '') <> 'removed'`

/**
 * Count the rows on all pages of `query`, up to one more than a total may have; and find its page and one row more, which shows that more follow. Where the
 * page is read as lines, it has the values of its order, too.
 */
export const listStatements = (
  dialect: Dialect,
  query: ListQuery<ViewType>,
): Page & { readonly count: Statement } => {
  const { type, conditions } = query
  const source = sourceOf(dialect, query)
  const tests = conditions.map((each) => meets(dialect, query, source, each))
  const scope = tests.some(({ namesScope }) => namesScope) ? [] : [source.scope]
  const met = [...scope, ...tests, ...source.within]
  return {
    count: sql`SELECT count(*) FROM (SELECT 1 FROM ${source.from} WHERE ${allOf(met)} LIMIT ${MAX_TOTAL_SIZE + 1}) AS counted`,
    ...(type === 'user_grant' && query.sort.length === 1 && query.sort[0]?.field === 'key'
      ? grantPage(
          dialect,
          query,
          met,
          tests.filter((_, index) => isOfPlace(conditions[index])),
        )
      : { page: plainPage(dialect, query, source, met) }),
  }
}

/** Whether a condition on grants to users is on their project or resource, which `place` has. */
const isOfPlace = (condition: Condition | undefined): boolean =>
  ['projectId', 'projectOrgId', 'resource'].includes(condition?.field ?? '')

const isOneUser = ({ field, operator, ignoreCase }: Condition): boolean =>
  field === 'userId' && operator === 'equals' && !ignoreCase

/** A page in any order. */
const plainPage = (
  dialect: Dialect,
  query: ListQuery<ViewType>,
  { from, key }: Source,
  met: readonly Statement[],
): Statement => {
  const { after, limit } = query
  const sort = query.sort.map(ordering(dialect, query))
  const paged = after === undefined ? met : [...met, following(dialect, sort, after)]
  const order = sort.flatMap(({ text, direction, isIdentity }) =>
    (isIdentity ? key : [text]).map((each) => `${each} ${direction}`),
  )
  return sql`SELECT ${selected(dialect, query, sort)} FROM ${from} WHERE ${allOf(paged)}
    ORDER BY ${order.join(', ')} LIMIT ${atLeast(limit + 1)}`
}

const selected = (
  dialect: Dialect,
  { type }: ListQuery<ViewType>,
  sort: readonly Ordering[],
): string => {
  const sorted = dialect.asLines ? sort.map(({ text }, index) => `${text} AS sort_${index}`) : []
  return [...columnsOf(type), ...sorted].join(', ')
}

/**
 * A page of grants to users by project and user: the rest of the project that the page before ended in, and the later
 * ones. Each part is read in the order of an index and ends with the page.
 */
const grantPage = (
  dialect: Dialect,
  query: ListQuery<ViewType>,
  met: readonly Statement[],
  ofPlaces: readonly Statement[],
): Page => {
  const { table, hasLateral } = dialect
  const { after, limit } = query
  const direction = query.sort[0]?.direction ?? 'asc'
  const beyond = direction === 'asc' ? '>' : '<'
  const columns = selected(dialect, query, query.sort.map(ordering(dialect, query)))
  const most = atLeast(limit + 1)
  // SQLite would go through all grants in their order, not through the index of those that are not active.
  const isIndexed = !hasLateral && met.includes(IS_INACTIVE)
  const inOrder = isIndexed ? 'inactive' : 'object'
  // Of one user, only the places of the grants are gone into, still in their order.
  const hasGrant = ({ value }: Condition) =>
    sql`+place.number IN (SELECT own.place FROM ${table(GRANTS)} AS own WHERE own.user_id = ${param(value)})`
  const part = (ofPlace: readonly Statement[], ofGrant: readonly Statement[]): Statement => {
    const all = allOf([...met, ...ofPlace, ...ofGrant])
    const order = `place.scope ${direction}, ${inOrder}.user_id ${direction}`
    if (isIndexed)
      return sql`SELECT ${columns} FROM ${table(PLACES)} AS place CROSS JOIN ${table(GRANTS)} AS inactive CROSS JOIN ${table(GRANTS)} AS object
        WHERE inactive.place = place.number AND inactive.state = 'inactive'
          AND object.place = inactive.place AND object.user_id = inactive.user_id AND ${all} ORDER BY ${order} LIMIT ${most}`
    if (!hasLateral)
      return sql`SELECT ${columns} FROM ${table(PLACES)} AS place CROSS JOIN ${table(GRANTS)} AS object
        WHERE object.place = place.number AND ${allOf([all, ...query.conditions.filter(isOneUser).map(hasGrant)])}
        ORDER BY ${order} LIMIT ${most}`
    // PostgreSQL takes no order of two tables from their indexes, and no condition out of the parentheses.
    const places = allOf([sql`place.org = ${param(query.orgId)}`, ...ofPlaces, ...ofPlace])
    return sql`SELECT ${columns} FROM ${table(PLACES)} AS place CROSS JOIN LATERAL (
        SELECT object.* FROM ${table(GRANTS)} AS object WHERE object.place = place.number AND ${all}
        ORDER BY object.user_id ${direction} LIMIT ${most}
      ) AS object WHERE ${places} ORDER BY ${order} LIMIT ${most}`
  }
  if (after === undefined) return { page: part([], []) }
  const [owner = '', projectId = '', ...rest] = String(after[0]).split('+')
  const scope = param(`${owner}+${projectId}`)
  const page = part(
    [sql`place.scope = ${scope}`],
    [sql`${inOrder}.user_id ${beyond} ${param(rest.join('+'))}`],
  )
  const later = part([sql`place.scope ${beyond} ${scope}`], [])
  if (!hasLateral) return { page, rest: later }
  return {
    page: sql`SELECT * FROM (SELECT * FROM (${page}) AS part_0 UNION ALL SELECT * FROM (${later}) AS part_1) AS parts
      ORDER BY scope ${direction}, user_id ${direction} LIMIT ${most}`,
  }
}

/** A {@link SortKey} in SQL. */
interface Ordering {
  readonly text: string
  readonly direction: SortKey['direction']
  readonly isIdentity: boolean
}

const ordering = (dialect: Dialect, { type, conditions }: ListQuery<ViewType>) => {
  // No index finds rows by their roles or permissions.
  const finding = conditions.filter((condition) => multiValuedOf(type, condition) === undefined)
  return ({ field, direction }: SortKey): Ordering => {
    fieldNamed<never>(viewFields[type], field)
    const isIdentity = field === identityField[type] && type === 'user_grant'
    const text = dialect.ordered(textOf(dialect, type, field), finding)
    return { text, direction, isIdentity }
  }
}

/** Whether a row comes after the one that has `values` in the fields of the order. */
const following = (
  dialect: Dialect,
  [key, ...others]: readonly Ordering[],
  [value, ...values]: readonly SortValue[],
): Statement => {
  if (key === undefined || value === undefined)
    throw new RangeError('`after` must have one value for each field of `sort`')
  const bound = param(typeof value === 'boolean' ? dialect.flag(value) : value)
  const beyond = key.direction === 'asc' ? '>' : '<'
  const isBeyond = sql`${key.text} ${beyond} ${bound}`
  if (others.length === 0) return isBeyond
  // The first comparison is redundant, but an index can be used for it.
  return sql`${key.text} ${beyond}= ${bound} AND (${isBeyond} OR (${following(dialect, others, values)}))`
}

/** The value of a field, for sorting rows and for case-sensitive comparisons. */
const textOf = (dialect: Dialect, type: ViewType, field: string): string => {
  if (field === 'sequence') return 'object.sequence'
  if (field === 'changeDate') return '(object.sequence / 1000)'
  if (type === 'user_grant') return grantText(field)
  if (field === 'creationDate') return 'object.creation_date'
  if (field === identityField[type]) return 'object.key'
  const { [field]: definition } = aggregates[type].fields
  const text = dialect.fieldInBody(field)
  return definition?.holds === 'string' && definition.isOptional ? `coalesce(${text}, '')` : text
}

const grantText = (field: string): string => {
  switch (field) {
    case 'userId':
      return 'object.user_id'
    case 'projectId':
      return 'place.project'
    case 'projectOrgId':
      return 'place.owner'
    case 'resource':
      return 'place.resource'
    case 'state':
      return `COALESCE(object.state, 'active')`
    case 'creationDate':
      return 'COALESCE(object.creation_date, object.sequence / 1000)'
    case 'key':
      return `(place.scope || '+' || object.user_id)`
    default:
      throw new RangeError(`Grants are not sorted by ${field}`)
  }
}

/** A condition in SQL. */
interface Test extends Statement {
  /** Whether it names the scope, which then needs no condition of its own. */
  readonly namesScope?: true
}

const meets = (
  dialect: Dialect,
  query: ListQuery<ViewType>,
  { scope }: Source,
  condition: Condition,
): Test => {
  const { type } = query
  const { field, operator, value, ignoreCase } = condition
  const multiValued = multiValuedOf(type, condition)
  if (!multiValued) filterableText<never>(viewFields[type], field)
  // A lone surrogate is not valid text, and a database would read it as another character.
  if (!value.isWellFormed()) return sql`FALSE`
  const foldedValue = foldCase(value)
  const compare = (text: string, by: string) => compares(dialect, text, operator, by)
  if (multiValued === 'permissions') {
    // Permissions are ASCII: a database folds them alike.
    const permission = ignoreCase
      ? compare('upper(allowed.permission)', foldedValue)
      : compare('allowed.permission', value)
    return sql`object.key IN (SELECT allowed.role FROM ${dialect.table(PERMISSIONS)} AS allowed
      WHERE allowed.scope = ${param(listedScope(query))} AND ${permission} AND allowed.end_at IS NULL)`
  }
  if (multiValued === 'roleKeys') {
    // One of the roles that are shown meets the condition.
    const role = ignoreCase
      ? compare('share.folded_role', foldedValue)
      : compare('share.role', value)
    const { from, columns } = dialect.listedShares('object.shares')
    return sql`EXISTS (SELECT 1 FROM ${from} CROSS JOIN ${dialect.table(SHARES)} AS share
      WHERE share.number = ${columns.share} AND ${isCurrent(dialect, 'share')} AND ${role})`
  }
  const exact = compare(textOf(dialect, type, field), value)
  if (type === 'user_grant') return meetsGrant(dialect, query, condition, compare)
  const folded = compare(`object.${foldedColumn(field)}`, foldedValue)
  if (!isKey(type, field)) {
    if (ignoreCase) return folded
    // The folded text is compared as well: it alone has an index.
    return operator === 'contains' ? exact : allOf([folded, exact])
  }
  if (!ignoreCase) return exact
  const plain = plainKey(foldedValue)
  if (plain === undefined) return folded
  // A plain key has no folded text: the key itself is compared.
  const key = compare('object.key', plain)
  if (operator === 'contains') return sql`(${key} OR ${folded})`
  // With the scope outside of both tests SQLite would read all rows of the scope instead.
  return { ...sql`(${scope} AND ${key} OR ${scope} AND ${folded})`, namesScope: true }
}

/** A condition on a field of a grant to a user. */
const meetsGrant = (
  { table }: Dialect,
  { orgId }: ListQuery<ViewType>,
  { field, operator, value, ignoreCase }: Condition,
  compare: (text: string, by: string) => Statement,
): Statement => {
  const text = grantText(field)
  const foldedValue = foldCase(value)
  if (field === 'state' && operator === 'equals') {
    const state = ignoreCase ? foldedValue.toLowerCase() : value
    // Few grants are inactive: only they are in an index, which a parameter would not find.
    if (state === 'inactive') return IS_INACTIVE
    return state === 'active' ? sql`object.state IS NULL` : sql`FALSE`
  }
  if (field === 'resource' && ignoreCase) return compare('place.folded_resource', foldedValue)
  // Ids and states are ASCII: a database folds them alike.
  if (field !== 'userId')
    return ignoreCase ? compare(`upper(${text})`, foldedValue) : compare(text, value)
  if (!ignoreCase) return compare(text, value)
  const plain = plainKey(foldedValue)
  if (plain === undefined) return compare('object.folded_user', foldedValue)
  if (operator === 'contains')
    return sql`(${compare(text, plain)} OR ${compare('object.folded_user', foldedValue)})`
  // Each part uses an index of its own.
  return sql`object.user_id IN (
    SELECT near.user_id FROM ${table(PLACES)} AS of_org JOIN ${table(GRANTS)} AS near ON near.place = of_org.number
      WHERE of_org.org = ${param(orgId)} AND ${compare('near.user_id', plain)}
    UNION ALL SELECT near.user_id FROM ${table(GRANTS)} AS near WHERE ${compare('near.folded_user', foldedValue)})`
}

const compares = (
  dialect: Dialect,
  text: string,
  operator: Condition['operator'],
  value: string,
): Statement => {
  switch (operator) {
    case 'equals':
      return sql`${text} = ${param(value)}`
    case 'contains':
      return { sql: dialect.contains(text), parameters: [value] }
    case 'startsWith': {
      const end = afterPrefix(value)
      const isFrom = sql`${text} >= ${param(value)}`
      return end === undefined ? isFrom : sql`${isFrom} AND ${text} < ${param(end)}`
    }
  }
}
