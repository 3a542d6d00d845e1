import { memoryEventStore } from '../../src/adapters/memory/event-store.js'
import { openSqlite } from '../../src/adapters/sqlite/index.js'
import type { EventStore } from '../../src/ports/event-store.js'
import { temporaryFile } from '../adapters/sqlite/temporary-file.js'

/** An empty store, and how it is closed. */
export interface OpenedStore {
  readonly store: EventStore
  readonly close: () => Promise<void>
}

export type OpenStore = () => Promise<OpenedStore>

/** Every store that plan, apply and import are shown to work on. */
export const STORES: readonly { readonly name: string; readonly open: OpenStore }[] = [
  {
    name: 'memory',
    open: async () => ({ store: memoryEventStore(), close: async () => {} }),
  },
  { name: 'SQLite', open: async () => openSqlite(temporaryFile()) },
]
