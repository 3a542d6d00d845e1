import { aggregates, byType, TYPES } from '../../../domain/aggregates.js'
import type { RoleMapping } from '../../../domain/role-mapping/aggregate.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { MappedGroup, MappedGroupsQuery } from '../../../ports/access-reads.js'
import type { EventStore, Position } from '../../../ports/event-store.js'
import {
  type Condition,
  type FoundAtHead,
  type Listing,
  type ListQuery,
  MAX_TOTAL_SIZE,
  type ReadArguments,
  type ReadAtHead,
  type ReadMethod,
  type ReadModel,
  type ReadQuery,
  type ReadResults,
  type RefOf,
  type SignInRoute,
  type SortKey,
  type SortValue,
  type Views,
  type ViewType,
} from '../../../ports/read-model.js'
import { readEvents } from '../../../projections/read-events.js'
import { afterPrefix, filterableText, foldCase, severalOf } from '../../../projections/row-order.js'
import { cappedTotal, listedScope, rowKeyOf } from '../../../projections/rows.js'
import { fieldNamed, identityField, viewFields } from '../../../projections/view-fields.js'
import {
  allOf,
  type Dialect,
  type Integer,
  param,
  rowsOf,
  type Statement,
  type Steps,
  sql,
} from '../dialect.js'
import { readAccess, readHeldRoles, readHolders } from './access.js'
import { type Batch, changesOf, moveCheckpoint } from './changes.js'
import { readAffected } from './counting.js'
import { readHistory } from './history.js'
import { assignedBy, decodeRow, plainKey, readColumns, type StoredRow } from './stored-rows.js'
import {
  atHead,
  besidePositions,
  CHECKPOINT,
  checkpointIn,
  FILLED,
  foldedColumn,
  hasKey,
  isKey,
  isNamed,
  isOfProject,
  MAPPED,
  NAMES,
  OBJECTS,
  oneOf,
  type Positions,
  PROJECT_SCOPE,
  pageOf,
  positionColumns,
  READ_MODEL,
  ROLE_PERMISSIONS,
} from './tables.js'

/** Runs the work of a read model in one database. Every function rejects with a `StoreFault` when the database fails. */
export interface ReadModelDriver {
  /** The SQL of the database. */
  readonly dialect: Dialect
  /** Runs one statement that only reads. `steps` may be called again. */
  readonly read: <Value>(steps: () => Steps<Value>) => Promise<Value>
  /** Runs statements that only read, all as of one moment. */
  readonly readTogether: ReadModelDriver['read']
  /**
   * Moves the checkpoint and writes what `batch` changes, both or neither; false when the checkpoint is elsewhere. See
   * {@link applyBatch}.
   */
  readonly apply: (batch: Batch) => Promise<boolean>
  /** Empties all tables. See {@link resetTables}. */
  readonly reset: () => Promise<void>
}

/**
 * A read model in tables of its own, which {@link createTables} makes.
 *
 * @param store - in the same database, with a table `events` and its column `position`
 */
export const sqlReadModel = (driver: ReadModelDriver, store: EventStore): ReadModel => {
  const { dialect } = driver
  const totals: Totals = new Map()
  const read = sqlReads(driver, totals)
  const readModel: ReadModel = {
    name: READ_MODEL,
    checkpoint: () => driver.read(() => readCheckpoint(dialect)),
    apply: async (from, events) => driver.apply({ from, events: readEvents(events) }),
    reset: async () => {
      await driver.reset()
      totals.clear()
    },
    ...readMethods(async (query) => (await read(query)).found),
    readAtHead: (pair) => (pair.store === store && pair.readModel === readModel ? read : undefined),
  }
  return readModel
}

/** The reads of a read model in one database. */
export const sqlReads = (
  { dialect, read, readTogether }: Pick<ReadModelDriver, 'dialect' | 'read' | 'readTogether'>,
  totals: Totals = new Map(),
): ReadAtHead => {
  const reads: Reads = {
    get: (orgId, ref) => readObject(dialect, orgId, ref),
    list: (query) => readList(dialect, totals, query),
    access: (query) => readAccess(dialect, query),
    heldRoles: (query) => readHeldRoles(dialect, query),
    holders: (query) => readHolders(dialect, query),
    affected: (query) => readAffected(dialect, query),
    mappedGroups: (query) => readMappedGroups(dialect, query),
    route: (domain) => readRoute(dialect, domain),
    history: (query) => readHistory(dialect, query),
  }
  return <Method extends ReadMethod, Type extends ViewType>({
    method,
    args,
  }: ReadQuery<Method, Type>): Promise<FoundAtHead<ReadResults<Type>[Method]>> => {
    const ofType: ReadsOf<Type> = reads
    return (method === 'list' ? readTogether : read)(() => ofType[method](...args))
  }
}

type ReadsOf<Type extends ViewType> = {
  readonly [Method in ReadMethod]: (
    ...args: ReadArguments<Type>[Method]
  ) => Steps<FoundAtHead<ReadResults<Type>[Method]>>
}

/** For every type of object. */
interface Reads extends Omit<ReadsOf<never>, 'get' | 'list'> {
  get<Type extends ViewType>(...args: ReadArguments<Type>['get']): ReturnType<ReadsOf<Type>['get']>
  list<Type extends ViewType>(
    ...args: ReadArguments<Type>['list']
  ): ReturnType<ReadsOf<Type>['list']>
}

/** The methods of a read model that read, each as a query. */
export const readMethods = (
  read: <Method extends ReadMethod, Type extends ViewType>(
    query: ReadQuery<Method, Type>,
  ) => Promise<ReadResults<Type>[Method]>,
): Pick<ReadModel, ReadMethod> => ({
  get: <Type extends ViewType>(...args: ReadArguments<Type>['get']) =>
    read<'get', Type>({ method: 'get', args }),
  list: <Type extends ViewType>(...args: ReadArguments<Type>['list']) =>
    read<'list', Type>({ method: 'list', args }),
  access: (...args) => read({ method: 'access', args }),
  heldRoles: (...args) => read({ method: 'heldRoles', args }),
  holders: (...args) => read({ method: 'holders', args }),
  affected: (...args) => read({ method: 'affected', args }),
  mappedGroups: (...args) => read({ method: 'mappedGroups', args }),
  route: (...args) => read({ method: 'route', args }),
  history: (...args) => read({ method: 'history', args }),
})

/**
 * Moves the checkpoint and writes what `batch` changes, in a transaction that has begun.
 *
 * @returns false, with nothing written, when the checkpoint is not where `batch` begins
 */
export function* applyBatch(dialect: Dialect, batch: Batch): Steps<boolean> {
  if (!(yield* moveCheckpoint(dialect, batch))) return false
  const { statements } = yield* changesOf(dialect, batch)
  for (const statement of statements) yield statement
  return true
}

/** Empties all tables, in a transaction that has begun: the checkpoint is then 0. */
export function* resetTables(dialect: Dialect): Steps<void> {
  yield { sql: `DELETE FROM ${dialect.table(CHECKPOINT)}`, parameters: [] }
  yield* emptyTables(dialect)
}

/** Empties all tables except the checkpoint's. */
export function* emptyTables({ table }: Dialect): Steps<void> {
  for (const filled of FILLED) yield { sql: `DELETE FROM ${table(filled)}`, parameters: [] }
}

/** Position of the last event applied. */
function* readCheckpoint(dialect: Dialect): Steps<Position> {
  const text = dialect.named('check', () => `SELECT ${checkpointIn(dialect)}`)
  const [row] = yield { ...text, parameters: [] }
  return BigInt(row?.[0] ?? 0)
}

/** Names of the statements that read one object. */
const STATEMENT_OF_TYPE = byType(({ type }) => `head ${TYPES.indexOf(type)}`)

/** Reads one object, and how far the read model is. */
function* readObject<Type extends ViewType>(
  dialect: Dialect,
  orgId: string,
  ref: RefOf<Type>,
): Steps<FoundAtHead<Views[Type] | undefined>> {
  const { type }: ObjectRef = ref
  const { scope, key } = rowKeyOf(orgId, ref)
  type Found = readonly [...Positions, ...(StoredRow | NoRow)]
  const named = dialect.named(
    STATEMENT_OF_TYPE[type],
    () => `SELECT head, reached, ${readColumns(dialect, type).join(', ')} FROM (SELECT ${positionColumns(dialect)}) AS moment
      LEFT JOIN ${dialect.table(OBJECTS[type])} ON ${hasKey(dialect)}`,
  )
  const [head, reached, ...row] = oneOf<Found>(yield { ...named, parameters: [scope, key] })
  return atHead([head, reached], isRow(row) ? decodeRow<Type>(type, scope, row) : undefined)
}

type NoRow = readonly [null, null, null, ...assigned: readonly string[]]

const isRow = (row: StoredRow | NoRow): row is StoredRow => row[0] !== null

/** Where users with addresses of a domain sign in, and how far the read model is. */
function* readRoute(dialect: Dialect, domain: string): Steps<FoundAtHead<SignInRoute | undefined>> {
  type Found = readonly [...Positions, orgId: string | null, idpId: string | null]
  const [head, reached, orgId, idpId] = oneOf<Found>(yield routeStatement(dialect, domain))
  return atHead([head, reached], orgId && idpId ? { orgId, idpId } : undefined)
}

/** Finds where users with addresses of `domain` sign in: an organization and an active provider, or null for both. */
export const routeStatement = (dialect: Dialect, domain: string): Statement => {
  const { table, fieldInBody } = dialect
  const state = foldedColumn('state')
  return {
    ...dialect.named(
      'route',
      () => `SELECT head, reached, org, idp FROM (SELECT ${positionColumns(dialect)}) AS moment
      LEFT JOIN (
        SELECT named.name AS org, provider.key AS idp
        FROM (SELECT scope, ${fieldInBody('idpId')} AS idp FROM ${table(OBJECTS.domain)} WHERE key = ? AND ${state} = ?) AS verified
        JOIN ${table(OBJECTS.identity_provider)} AS provider
          ON provider.scope = verified.scope AND provider.key = verified.idp AND provider.${state} = ?
        JOIN ${table(NAMES)} AS named ON named.number = verified.scope
      ) AS found ON TRUE`,
    ),
    parameters: [domain, foldCase('verified'), foldCase('active')],
  }
}

/** The mappings of some groups of a provider, and how far the read model is. */
function* readMappedGroups(
  dialect: Dialect,
  { orgId, idpId, groups }: MappedGroupsQuery,
): Steps<FoundAtHead<readonly MappedGroup[]>> {
  const { table, isListed } = dialect
  const mapping = table(OBJECTS.role_mapping)
  const isWanted = isListed(foldedColumn('group'), [...new Set(groups.map(foldCase))])
  type Row = readonly [group: string, body: string, since: string]
  const page = sql`SELECT grp, body, (
      SELECT CAST(max(mapped.since) AS text) FROM ${table(MAPPED)} AS mapped
      WHERE mapped.org = ${param(orgId)} AND mapped.idp = ${mapping}.idp AND mapped.grp = ${mapping}.grp
        AND mapped.scope = ${mapping}.${PROJECT_SCOPE}
    ) AS since
    FROM ${mapping} WHERE ${isNamed(dialect, 'scope', orgId)} AND ${isWanted} AND idp = ${param(idpId)}`
  const { found, ...positions } = pageOf<Row>(
    yield besidePositions(dialect, 'grp, body, since', page),
  )
  const wanted = new Set(groups)
  const mapped = found.flatMap(([group, body, since]) => {
    if (!wanted.has(group)) return []
    const { validFor }: Pick<RoleMapping, 'validFor'> = JSON.parse(body)
    return { group, since: BigInt(since), ...(validFor !== undefined && { validFor }) }
  })
  return { ...positions, found: mapped }
}

/** A page of objects, and how far the read model is; to be run so that all is as of one moment. */
function* readList<Type extends ViewType>(
  dialect: Dialect,
  totals: Totals,
  query: ListQuery<Type>,
): Steps<FoundAtHead<Listing<Views[Type]>>> {
  const { type, limit } = query
  const { count, page } = listStatements(dialect, query)
  const key = JSON.stringify([count.sql, ...count.parameters.map(String)])
  const total = totalOf(count, totals.get(key))
  const { moment, rows } = yield* momentAndPage(dialect, query, { total, page })
  const [head, reached] = moment
  const sequence = BigInt(reached ?? 0)
  const found = Number(moment[2])
  keep(totals, key, { sequence, found })
  // Received grants have many owners.
  const scope = query.isReceived ? undefined : listedScope(query)
  return atHead([head, reached], {
    items: rows.slice(0, limit).map((row) => decodeRow<Type>(type, scope, row)),
    hasMore: rows.length > limit,
    ...cappedTotal(found),
    sequence,
  })
}

/** How many rows a list has at a checkpoint. The number stays right until the checkpoint moves. */
interface Total {
  readonly sequence: Position
  readonly found: number
}

/** The last totals, by the statements that count them. */
type Totals = Map<string, Total>

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

function* momentAndPage(
  dialect: Dialect,
  query: ListQuery<ViewType>,
  { total, page }: { readonly total: Statement; readonly page: Statement },
): Steps<{ readonly moment: Moment; readonly rows: readonly StoredRow[] }> {
  const selected = sql`SELECT head, reached, ${total} AS total`
  const from = `FROM (SELECT ${positionColumns(dialect)}) AS moment`
  if (dialect.asLines === undefined) {
    const moment = oneOf<Moment>(yield sql`${selected} ${from}`)
    return { moment, rows: rowsOf<StoredRow>(yield page) }
  }
  const columns = readColumns(dialect, query.type).map(nameOf)
  const order = query.sort.map(({ direction }, index) => `sort_${index} ${direction}`)
  const lines = { ...page, sql: dialect.asLines(page.sql, columns, order.join(', ')) }
  const [head, reached, found, text] = oneOf<readonly [...Moment, lines: string | null]>(
    yield sql`${selected}, ${lines} ${from}`,
  )
  return { moment: [head, reached, found], rows: text?.split('\n').map(rowIn) ?? [] }
}

/** The name of a selected column. */
const nameOf = (column: string): string => column.slice(column.lastIndexOf(' ') + 1)

const rowIn = (line: string): StoredRow => {
  const [body, sequence, creationDate, ...assigned] = line.split('\t')
  if (body === undefined || sequence === undefined || creationDate === undefined)
    throw new Error('A line of a page has fewer columns than a row')
  return [body, sequence, creationDate, ...assigned]
}

/**
 * Count the rows on all pages of `query`, up to one more than a total may have; and find its page and one row more, which shows that more follow. Where the
 * page is read as lines, it has the values of its order, too.
 */
export const listStatements = (
  dialect: Dialect,
  query: ListQuery<ViewType>,
): { readonly count: Statement; readonly page: Statement } => {
  const { type, after, limit } = query
  const met = meeting(dialect, query)
  const sort = query.sort.map(ordering(dialect, query))
  const counted = allOf(met)
  const paged = after === undefined ? counted : allOf([...met, following(dialect, sort, after)])
  const sorted = dialect.asLines ? sort.map(({ text }, index) => `${text} AS sort_${index}`) : []
  const table = dialect.table(OBJECTS[type])
  return {
    count: sql`SELECT count(*) FROM (SELECT 1 FROM ${table} WHERE ${counted} LIMIT ${MAX_TOTAL_SIZE + 1}) AS counted`,
    page: sql`SELECT ${[...readColumns(dialect, type), ...sorted].join(', ')} FROM ${table} WHERE ${paged}
      ORDER BY ${sort.map(({ text, direction }) => `${text} ${direction}`).join(', ')} LIMIT ${param(limit + 1)}`,
  }
}

/** A {@link SortKey} in SQL. */
interface Ordering {
  readonly text: string
  readonly direction: SortKey['direction']
}

const ordering = (dialect: Dialect, { type, conditions }: ListQuery<ViewType>) => {
  // No index finds rows by their roles or permissions.
  const finding = conditions.filter((condition) => severalOf(type, condition) === undefined)
  return ({ field, direction }: SortKey): Ordering => {
    fieldNamed<never>(viewFields[type], field)
    return { text: dialect.ordered(expressionOf(dialect, type, field), finding), direction }
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
    default: {
      const { [field]: shown } = aggregates[type].fields
      const text = dialect.fieldInBody(field)
      return shown?.holds === 'string' && shown.isOptional ? `coalesce(${text}, '')` : text
    }
  }
}

/** The conditions of a row on any page of `query`. */
const meeting = (dialect: Dialect, query: ListQuery<ViewType>): readonly Statement[] => {
  const tests = query.conditions.map((condition) => meets(dialect, query, condition))
  return tests.some(({ namesScope }) => namesScope) ? tests : [inScope(dialect, query), ...tests]
}

const inScope = (dialect: Dialect, query: ListQuery<ViewType>): Statement =>
  query.isReceived
    ? sql`key = ${param(query.orgId)}`
    : isNamed(dialect, 'scope', listedScope(query))

/** A condition in SQL. */
interface Test extends Statement {
  /** Whether it names the scope, which then needs no condition of its own. */
  readonly namesScope?: true
}

const meets = (dialect: Dialect, query: ListQuery<ViewType>, condition: Condition): Test => {
  const { type, orgId } = query
  const { field, operator, value, ignoreCase } = condition
  const several = severalOf(type, condition)
  if (!several) filterableText<never>(viewFields[type], field)
  // A lone surrogate is not valid text, and a database would read it as another character.
  if (!value.isWellFormed()) return sql`FALSE`
  const foldedValue = foldCase(value)
  const compare = (text: string, by: string) => compares(dialect, text, operator, by)
  if (several === 'permissions') {
    // Permissions are ASCII: a database folds them alike.
    const permission = ignoreCase
      ? compare('upper(allowed.permission)', foldedValue)
      : compare('allowed.permission', value)
    const scope = isNamed(dialect, 'allowed.scope', listedScope(query))
    return sql`key IN (SELECT allowed.role FROM ${dialect.table(ROLE_PERMISSIONS)} AS allowed
      WHERE ${scope} AND ${permission} AND allowed.end_at IS NULL)`
  }
  if (several === 'roleKeys') {
    // One of the roles that are shown meets the condition.
    const role = ignoreCase ? compare('folded_role', foldedValue) : compare('role', value)
    const assigned = {
      sql: assignedBy(dialect, type, '?'),
      parameters: isOfProject(type) ? [] : [orgId],
    }
    return sql`EXISTS (SELECT 1 ${assigned} AND ${role})`
  }
  const exact = compare(expressionOf(dialect, type, field), value)
  const folded = compare(foldedColumn(field), foldedValue)
  if (!isKey(type, field)) {
    if (ignoreCase) return folded
    // The folded text is compared as well: it alone has an index.
    return operator === 'contains' ? exact : allOf([folded, exact])
  }
  if (!ignoreCase) return exact
  const plain = plainKey(foldedValue)
  if (plain === undefined) return folded
  // A plain key has no folded text: the key itself is compared.
  const key = compare('key', plain)
  if (operator === 'contains') return sql`(${key} OR ${folded})`
  // With the scope outside of both tests SQLite would read all rows of the scope instead.
  const scope = inScope(dialect, query)
  return { ...sql`(${scope} AND ${key} OR ${scope} AND ${folded})`, namesScope: true }
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
