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
import type { Batch } from './changes.js'
import { readHistory } from './history.js'
import { readList } from './list.js'
import { readCheckpoint, readMappedGroups, readObject, readRoute } from './reads.js'
import { FILLED, READ_MODEL } from './tables.js'

/** Runs the work of a read model in one database. */
export interface ReadModelDriver {
  readonly dialect: Dialect
  /** Runs one statement that only reads. `steps` may be called again. */
  readonly read: <Value>(steps: () => Steps<Value>) => Promise<Value>
  /** Runs statements that only read, all as of one moment. */
  readonly readTogether: ReadModelDriver['read']
  /** Moves the checkpoint and writes what `batch` changes, both or neither; false when the checkpoint is elsewhere. */
  readonly apply: (batch: Batch) => Promise<boolean>
  readonly reset: () => Promise<void>
}

/**
 * A read model in tables of its own.
 *
 * @param store - in the same database
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

/** Empties all tables except that of the checkpoint. */
export function* emptyTables({ table }: Dialect): Steps<void> {
  for (const filled of FILLED) yield { sql: `DELETE FROM ${table(filled)}`, parameters: [] }
}
