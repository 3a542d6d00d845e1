import type { EventStore } from '../../../ports/event-store.js'
import type { ReadAtHead, ReadModel } from '../../../ports/read-model.js'
import { readEvents } from '../../../projections/read-events.js'
import type { Dialect, Steps } from '../dialect.js'
import { readAccess, readHeldRoles, readHolders } from './access-reads.js'
import type { Batch } from './changes.js'
import { objectAtHeadLookup, objectLookup } from './object-statements.js'
import {
  readCheckpoint,
  readHistory,
  readList,
  readObject,
  readObjectAtHead,
  readRoute,
} from './reads.js'
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
  const { dialect, read } = driver
  const lookup = objectLookup(dialect)
  const lookupAtHead = objectAtHeadLookup(dialect)
  const atHead: ReadAtHead = {
    get: (orgId, ref) => read(() => readObjectAtHead(lookupAtHead, orgId, ref)),
    list: (query) => driver.readTogether(() => readList(dialect, query)),
    access: (query) => read(() => readAccess(dialect, query)),
    heldRoles: (query) => read(() => readHeldRoles(dialect, query)),
    holders: (query) => read(() => readHolders(dialect, query)),
    route: (domain) => read(() => readRoute(dialect, domain)),
  }
  const readModel: ReadModel = {
    name: READ_MODEL,
    checkpoint: () => read(() => readCheckpoint(dialect)),
    apply: async (from, events) => driver.apply({ from, events: readEvents(events) }),
    reset: driver.reset,
    get: (orgId, ref) => read(() => readObject(lookup, orgId, ref)),
    list: async (query) => (await atHead.list(query)).found,
    access: async (query) => (await atHead.access(query)).found,
    heldRoles: async (query) => (await atHead.heldRoles(query)).found,
    holders: async (query) => (await atHead.holders(query)).found,
    route: async (domain) => (await atHead.route(domain)).found,
    history: (query) => read(() => readHistory(dialect, query)),
    readAtHead: (pair) =>
      pair.store === store && pair.readModel === readModel ? atHead : undefined,
  }
  return readModel
}

/** Empties all tables except that of the checkpoint. */
export function* emptyTables({ table }: Dialect): Steps<void> {
  for (const filled of FILLED) yield { sql: `DELETE FROM ${table(filled)}`, parameters: [] }
}
