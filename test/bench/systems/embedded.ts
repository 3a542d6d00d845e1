import { memory, sqlite } from '../stores.ts'
import { claviger } from './claviger.ts'
import { objectStore } from './object-store.ts'
import { embeddedPeers } from './peers.ts'
import { groupedSqlite, rawSqlite } from './raw-sqlite.ts'

const { equinox, guardedEquinox, castore, emmett, emmettSqlite } = embeddedPeers

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
