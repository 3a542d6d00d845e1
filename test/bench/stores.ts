import {
  type EventRestore,
  type EventStore,
  memoryEventStore,
  memoryReadModel,
  type ReadModel,
} from 'claviger'
import { openPostgres } from 'claviger/postgres'
import { openSqlite } from 'claviger/sqlite'
import { newDatabase, runSql, temporaryFile } from './databases.ts'
import type { StoreName } from './world.ts'

/** A store of this library, open and empty. */
export interface OpenStore {
  readonly store: EventStore & EventRestore
  readonly readModel: ReadModel
  /** Empties the read model, which then is as good as new. */
  readonly emptyReadModel: () => Promise<void>
  readonly close: () => Promise<void>
}

interface Options {
  /** Keeps the views of the database. */
  readonly views?: boolean
}

const memory = async (): Promise<OpenStore> => {
  const store = memoryEventStore()
  const readModel = memoryReadModel()
  return { store, readModel, emptyReadModel: readModel.reset, close: async () => {} }
}

const sqlite = async (options: Options = {}): Promise<OpenStore> => {
  const { path, remove } = temporaryFile()
  const { store, readModel, close } = openSqlite(path, options)
  return {
    store,
    readModel,
    emptyReadModel: readModel.reset,
    close: async () => {
      await close()
      remove()
    },
  }
}

const postgres = async (options: Options = {}): Promise<OpenStore> => {
  const connectionString = await newDatabase()
  const { store, readModel, close } = await openPostgres({ connectionString, ...options })
  return {
    store,
    readModel,
    emptyReadModel: async () => {
      await readModel.reset()
      // Removes what deleted rows leave behind, as the server does by itself in time.
      await runSql(connectionString, 'VACUUM')
    },
    close,
  }
}

/** Opens a store by its name. */
export const STORES: Readonly<Record<StoreName, (options?: Options) => Promise<OpenStore>>> = {
  memory,
  sqlite,
  postgres,
}
