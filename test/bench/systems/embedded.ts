import { memory, sqlite } from '../stores.ts'
import { castore } from './castore.ts'
import { claviger } from './claviger.ts'
import { emmett } from './emmett.ts'
import { emmettSqlite } from './emmett-sqlite.ts'
import { equinox, guardedEquinox } from './equinox.ts'
import { objectStore } from './object-store.ts'
import { groupedSqlite, rawSqlite } from './raw-sqlite.ts'

/** What keeps its events in memory or in a file, and so needs nothing but a process. */
export const EMBEDDED = {
  claviger: claviger(memory),
  equinox,
  castore,
  emmett,
  guardedEquinox,
  objectStore,
  clavigerSqlite: claviger(sqlite),
  rawSqlite,
  groupedSqlite,
  emmettSqlite,
}

/** One of {@link EMBEDDED}. */
export type Embedded = keyof typeof EMBEDDED
