import { byType, TYPES } from '../../../domain/aggregates.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { MappedGroup, MappedGroupsQuery } from '../../../ports/access-reads.js'
import { type EventStore, type Position, StoreFault } from '../../../ports/event-store.js'
import type {
  FoundAtHead,
  ReadArguments,
  ReadAtHead,
  ReadMethod,
  ReadModel,
  ReadQuery,
  ReadResults,
  RefOf,
  SignInRoute,
  Views,
  ViewType,
} from '../../../ports/read-model.js'
import { readEvents } from '../../../projections/read-events.js'
import { foldCase } from '../../../projections/row-order.js'
import { rowKeyOf } from '../../../projections/rows.js'
import {
  allOf,
  type Dialect,
  param,
  type Row,
  type Statement,
  type Steps,
  sql,
} from '../dialect.js'
import { readAccess } from './access.js'
import { readAffected } from './affected.js'
import { type Batch, changesOf, moveCheckpoint } from './changes.js'
import { stands, streamOf } from './counts.js'
import { grantKeyOf } from './grants.js'
import { readHeldRoles } from './held-roles.js'
import { readHistory } from './history.js'
import { readHolders } from './holders.js'
import { columnsOf, decode, givesRoles, IS_GRANTED, readList, type Totals } from './lists.js'
import { currentIn, currentOf, isWithin, numbersIn, rowOf, SHARES_COLUMN } from './stored-rows.js'
import {
  atHead,
  CHECKPOINT,
  checkpointIn,
  filledBy,
  foldedColumn,
  GRANTS,
  OBJECTS,
  oneOf,
  PLACES,
  type Positions,
  pageOf,
  positionColumns,
  READ_MODEL,
  withPositions,
} from './tables.js'
import { readUsers } from './users.js'

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
  /** Absent where reading the log takes no round trip. */
  readonly own?: {
    /** See {@link ReadModel.applyOwn}. */
    readonly apply: NonNullable<ReadModel['applyOwn']>
    /** Sees the positions beside the result of a read. */
    readonly read: (at: Pick<FoundAtHead<unknown>, 'head' | 'reached'>) => void
  }
  /** Empties all tables. See {@link resetTables}. */
  readonly reset: () => Promise<void>
  /** Of a database in the process, so that the event loop gets its turns. See `Projection.batchSize`. */
  readonly batchSize?: number
}

/**
 * A read model in tables of its own, which {@link createTables} makes.
 *
 * @param store - `openSqlite`'s or `openPostgres`'s in the same database; for any other, the dialect sets `keepsEvents`
 */
export const sqlReadModel = (driver: ReadModelDriver, store: EventStore): ReadModel => {
  const { dialect, batchSize, own } = driver
  const totals: Totals = new Map()
  const reads = sqlReads(driver, totals)
  const read: ReadAtHead = async (query) => {
    const answer = await reads(query)
    if (query.method === 'history' && answer.reached > answer.head)
      throw new StoreFault(NO_LOG, 'not_recorded')
    return answer
  }
  const readAtHead: ReadAtHead = own
    ? async (query) => {
        const answer = await read(query)
        own.read(answer)
        return answer
      }
    : read
  const readModel: ReadModel = {
    name: READ_MODEL,
    ...(batchSize !== undefined && { batchSize }),
    checkpoint: () => driver.read(() => readCheckpoint(dialect)),
    apply: async (from, events) => driver.apply({ from, events: readEvents(events) }),
    reset: async () => {
      await driver.reset()
      totals.clear()
    },
    ...readMethods(async (query) => (await read(query)).found),
    // The end of a log that is elsewhere is not in the database.
    ...(!dialect.keepsEvents && {
      readAtHead: (pair) =>
        pair.store === store && pair.readModel === readModel ? readAtHead : undefined,
    }),
    ...(own && { applyOwn: own.apply }),
  }
  return readModel
}

const NO_LOG =
  'History is read from the log, which is not in the database of this read model: use the read model of the store'

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
    users: (query) => readUsers(dialect, query),
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
  users: (...args) => read({ method: 'users', args }),
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
export function* emptyTables(dialect: Dialect): Steps<void> {
  for (const filled of filledBy(dialect))
    yield { sql: `DELETE FROM ${dialect.table(filled)}`, parameters: [] }
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
  const [head, reached, current, ...row] = oneOf<readonly [...Positions, string | null, ...Row]>(
    yield objectStatement(dialect, orgId, ref),
  )
  const object = row[0] === null ? undefined : decode<Type>(type, row, currentIn(current))
  return atHead([head, reached], object)
}

/** Finds one object, and the positions beside it. */
export const objectStatement = (dialect: Dialect, orgId: string, ref: ObjectRef): Statement => {
  const { type } = ref
  const { scope, key } = rowKeyOf(orgId, ref)
  return {
    ...dialect.named(STATEMENT_OF_TYPE[type], () => {
      const current = givesRoles(type)
        ? `(${currentOf(dialect, numbersIn(dialect, SHARES_COLUMN))})`
        : 'NULL'
      const from = `FROM (SELECT ${positionColumns(dialect)}) AS moment`
      return `SELECT head, reached, ${current} AS current_roles, ${columnsOf(type).join(', ')} ${from} ${oneObject(dialect, type)}`
    }),
    parameters: ref.type === 'user_grant' ? grantKeyOf({ ref, orgId }) : [scope, key],
  }
}

/** Joins one object, by its scope and key; a grant to a user by organization, project and user. */
const oneObject = (dialect: Dialect, type: ViewType): string => {
  const { table } = dialect
  if (type !== 'user_grant') {
    const met = [sql`object.scope = ? AND object.key = ?`, ...isWithin(dialect, type)]
    return `LEFT JOIN ${table(OBJECTS[type])} AS object ON ${allOf(met).sql}`
  }
  const exists = stands(dialect, streamOf.projectOfPlace('place'), { orInactive: true })
  return `LEFT JOIN ${table(PLACES)} AS place ON place.org = ? AND place.scope = ? AND ${exists.sql}
    LEFT JOIN ${table(GRANTS)} AS object ON object.place = place.number AND object.user_id = ? AND ${IS_GRANTED.sql}`
}

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
        SELECT provider.scope AS org, provider.key AS idp
        FROM (SELECT object.scope, ${fieldInBody('idpId')} AS idp FROM ${table(OBJECTS.domain)} AS object
          WHERE object.key = ? AND object.${state} = ?) AS verified
        JOIN ${table(OBJECTS.identity_provider)} AS provider
          ON provider.scope = verified.scope AND provider.key = verified.idp AND provider.${state} = ?
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
  const met = allOf([
    sql`object.scope = ${param(orgId)} AND object.idp = ${param(idpId)}`,
    isListed(`object.${foldedColumn('group')}`, [...new Set(groups.map(foldCase))]),
    ...isWithin(dialect, 'role_mapping'),
  ])
  const page = sql`SELECT object.grp, object.body FROM ${table(OBJECTS.role_mapping)} AS object WHERE ${met}`
  type Row = readonly [group: string, body: string]
  const { found, ...positions } = pageOf<Row>(yield withPositions(dialect, 'grp, body', page))
  const wanted = new Set(groups)
  const mapped = found.flatMap(([group, body]) => {
    const { fact } = rowOf('role_mapping', orgId, body, [0n, new Date(0)])
    if (!wanted.has(group) || fact?.fact.in !== 'held') return []
    const { validFor } = fact.fact
    return [{ group, since: fact.since, ...(validFor !== undefined && { validFor }) }]
  })
  return { ...positions, found: mapped }
}
