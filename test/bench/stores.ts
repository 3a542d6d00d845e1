import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import {
  type EventRestore,
  type EventStore,
  memoryEventStore,
  memoryReadModel,
  type ReadModel,
} from 'claviger'
import { openPostgres } from 'claviger/postgres'
import { openSqlite } from 'claviger/sqlite'
import { newDatabase } from './databases.ts'

/** A store of this library, open and empty. */
export interface OpenStore {
  readonly store: EventStore & EventRestore
  readonly readModel: ReadModel
  /** Counted by other means than the store's, where there are any. */
  readonly countEvents: () => Promise<number>
  /** Empties the read model, which then is as good as new. */
  readonly emptyReadModel: () => Promise<void>
  /** What the server does by itself some time after a table was filled. */
  readonly analyze?: () => Promise<void>
  readonly close: () => Promise<void>
}

/** A kind of store. To measure another one, add an entry. */
export interface StoreEntry {
  readonly name: 'memory' | 'sqlite' | 'postgres'
  readonly open: () => Promise<OpenStore>
}

export const memory: StoreEntry = {
  name: 'memory',
  open: async () => {
    const store = memoryEventStore()
    const readModel = memoryReadModel()
    return {
      store,
      readModel,
      emptyReadModel: readModel.reset,
      countEvents: async () => (await store.readAll(0n, Number.MAX_SAFE_INTEGER)).length,
      close: async () => {},
    }
  },
}

export const sqlite: StoreEntry = {
  name: 'sqlite',
  open: async () => {
    const { path, remove } = temporaryFile()
    const { store, readModel, close } = openSqlite(path)
    return {
      store,
      readModel,
      emptyReadModel: readModel.reset,
      countEvents: async () => countRows(path),
      close: async () => {
        await close()
        remove()
      },
    }
  },
}

export const postgres: StoreEntry = {
  name: 'postgres',
  open: async () => {
    const { connectionString, countRows, vacuum } = await newDatabase()
    const { store, readModel, close } = await openPostgres({ connectionString })
    return {
      store,
      readModel,
      emptyReadModel: async () => {
        await readModel.reset()
        await vacuum()
      },
      countEvents: () => countRows('claviger.events'),
      analyze: vacuum,
      close,
    }
  },
}

/** A path for a database of its own. */
export const temporaryFile = () => {
  const folder = mkdtempSync(join(tmpdir(), 'claviger-bench-'))
  return {
    path: join(folder, 'bench.db'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

/** Rows of the table `events`, seen through another connection. */
export const countRows = (path: string, table = 'events'): number => {
  const database = new DatabaseSync(path, { readOnly: true })
  const row = database.prepare(`SELECT count(*) AS rows FROM ${table}`).get()
  database.close()
  return Number(row?.['rows'])
}
