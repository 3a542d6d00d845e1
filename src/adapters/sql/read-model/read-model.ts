import { TYPES } from '../../../domain/aggregates.js'
import type { RoleMapping } from '../../../domain/role-mapping/aggregate.js'
import type { ObjectRef } from '../../../domain/values.js'
import type { MappedGroup, MappedGroupsQuery } from '../../../ports/access-reads.js'
import type { EventStore, Position } from '../../../ports/event-store.js'
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
import type { Dialect, Statement, Steps } from '../dialect.js'
import { readAccess, readHeldRoles, readHolders } from './access.js'
import { readAffected } from './affected.js'
import { type Batch, changesOf, moveCheckpoint } from './changes.js'
import { readHistory } from './history.js'
import { readList } from './list.js'
import { decodeRow, readColumns, type StoredRow } from './stored-rows.js'
import {
  atHead,
  besidePositions,
  CHECKPOINT,
  checkpointIn,
  FILLED,
  findOne,
  findPage,
  foldedColumn,
  hasKey,
  holdsNumber,
  MAPPED,
  NAMES,
  OBJECTS,
  type Positions,
  PROJECT_SCOPE,
  positionColumns,
  READ_MODEL,
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
  const read = sqlReads(driver)
  const readModel: ReadModel = {
    name: READ_MODEL,
    checkpoint: () => driver.read(() => readCheckpoint(dialect)),
    apply: async (from, events) => driver.apply({ from, events: readEvents(events) }),
    reset: driver.reset,
    ...readMethods(async (query) => (await read(query)).found),
    readAtHead: (pair) => (pair.store === store && pair.readModel === readModel ? read : undefined),
  }
  return readModel
}

/** The reads of a read model in one database. */
export const sqlReads = ({
  dialect,
  read,
  readTogether,
}: Pick<ReadModelDriver, 'dialect' | 'read' | 'readTogether'>): ReadAtHead => {
  return <Method extends ReadMethod, Type extends ViewType>(
    query: ReadQuery<Method, Type>,
  ): Promise<FoundAtHead<ReadResults<Type>[Method]>> => {
    const steps: Reads<Type> = {
      get: (orgId, ref) => readObject(dialect, orgId, ref),
      list: (query) => readList(dialect, query),
      access: (query) => readAccess(dialect, query),
      heldRoles: (query) => readHeldRoles(dialect, query),
      holders: (query) => readHolders(dialect, query),
      affected: (query) => readAffected(dialect, query),
      mappedGroups: (query) => readMappedGroups(dialect, query),
      route: (domain) => readRoute(dialect, domain),
      history: (query) => readHistory(dialect, query),
    }
    const run = query.method === 'list' ? readTogether : read
    return run(() => steps[query.method](...query.args))
  }
}

type Reads<Type extends ViewType> = {
  readonly [Method in ReadMethod]: (
    ...args: ReadArguments<Type>[Method]
  ) => Steps<FoundAtHead<ReadResults<Type>[Method]>>
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

/** Reads one object, and how far the read model is. */
function* readObject<Type extends ViewType>(
  dialect: Dialect,
  orgId: string,
  ref: RefOf<Type>,
): Steps<FoundAtHead<Views[Type] | undefined>> {
  const { type }: ObjectRef = ref
  const { scope, key } = rowKeyOf(orgId, ref)
  type Found = readonly [...Positions, ...(StoredRow | NoRow)]
  const [head, reached, ...row] = yield* findOne<Found>({
    ...dialect.named(
      `head ${TYPES.indexOf(type)}`,
      () => `SELECT head, reached, ${readColumns(dialect, type).join(', ')} FROM (SELECT ${positionColumns(dialect)}) AS moment
      LEFT JOIN ${dialect.table(OBJECTS[type])} ON ${hasKey(dialect)}`,
    ),
    parameters: [scope, key],
  })
  return atHead([head, reached], isRow(row) ? decodeRow<Type>(type, scope, row) : undefined)
}

type NoRow = readonly [null, null, null, ...assigned: readonly string[]]

const isRow = (row: StoredRow | NoRow): row is StoredRow => row[0] !== null

/** Where users with addresses of a domain sign in, and how far the read model is. */
function* readRoute(dialect: Dialect, domain: string): Steps<FoundAtHead<SignInRoute | undefined>> {
  type Found = readonly [...Positions, orgId: string | null, idpId: string | null]
  const [head, reached, orgId, idpId] = yield* findOne<Found>(routeStatement(dialect, domain))
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
  const { sql, parameters } = isListed(foldedColumn('group'), [...new Set(groups.map(foldCase))])
  type Row = readonly [group: string, body: string, since: string]
  const { found, ...positions } = yield* findPage<Row>({
    sql: besidePositions(
      dialect,
      'grp, body, since',
      `SELECT grp, body, (
          SELECT CAST(max(mapped.since) AS text) FROM ${table(MAPPED)} AS mapped
          WHERE mapped.org = ? AND mapped.idp = ${mapping}.idp AND mapped.grp = ${mapping}.grp
            AND mapped.scope = ${mapping}.${PROJECT_SCOPE}
        ) AS since
        FROM ${mapping} WHERE ${holdsNumber(dialect, 'scope')} AND ${sql} AND idp = ?`,
    ),
    parameters: [orgId, orgId, ...parameters, idpId],
  })
  const wanted = new Set(groups)
  const mapped = found.flatMap(([group, body, since]) => {
    if (!wanted.has(group)) return []
    const { validFor }: Pick<RoleMapping, 'validFor'> = JSON.parse(body)
    return { group, since: BigInt(since), ...(validFor !== undefined && { validFor }) }
  })
  return { ...positions, found: mapped }
}
