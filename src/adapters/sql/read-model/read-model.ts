import type { EventStore } from '../../../ports/event-store.js'
import type {
  FoundAtHead,
  ReadArguments,
  ReadAtHead,
  ReadMethod,
  ReadModel,
  ReadQuery,
  ReadResults,
  ViewType,
} from '../../../ports/read-model.js'
import { readEvents } from '../../../projections/read-events.js'
import type { Dialect, Steps } from '../dialect.js'
import { readAccess, readHeldRoles, readHolders } from './access.js'
import { readAffected } from './affected.js'
import { type Batch, changesOf, moveCheckpoint } from './changes.js'
import { readHistory } from './history.js'
import { readList } from './list.js'
import { readCheckpoint, readMappedGroups, readObject, readRoute } from './reads.js'
import { CHECKPOINT, FILLED, READ_MODEL } from './tables.js'

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
