import { memory } from '../stores.ts'
import { castore } from './castore.ts'
import { claviger } from './claviger.ts'
import { emmett } from './emmett.ts'
import { equinox, guardedEquinox } from './equinox.ts'
import { objectStore } from './object-store.ts'

/** What keeps its events in memory. */
export const IN_MEMORY = {
  claviger: claviger(memory),
  equinox,
  castore,
  emmett,
  guardedEquinox,
  objectStore,
}

/** One of {@link IN_MEMORY}. */
export type InMemory = keyof typeof IN_MEMORY
