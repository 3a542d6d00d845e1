import type { EventStore } from '@event-driven-io/emmett'
import { countRows, temporaryFile } from '../stores.ts'
import type { System } from '../system.ts'
import { emmettSubject } from './emmett.ts'

/** What the package beside exports; it is installed by hand, so its types may be missing. */
interface Opened {
  readonly store: EventStore
  readonly close: () => void
}

const MODULE: string = '../emmett-sqlite/open.mjs'

/** Emmett on SQLite; undefined when it was not installed. */
export const loadEmmettSqlite = async (): Promise<System | undefined> => {
  const loaded = await import(MODULE).catch(() => undefined)
  if (loaded === undefined) return undefined
  const open: (path: string) => Opened = loaded.openEmmettSqlite
  return {
    name: 'Emmett, bare',
    open: async (task) => {
      const { path, remove } = temporaryFile()
      const { store, close } = open(path)
      const { call } = await emmettSubject(store, task)
      // Its tables come to be with the first append.
      await store.appendToStream('first', [{ type: 'changed', data: {} }])
      return {
        call,
        countEvents: async () => countRows(path, 'emt_messages'),
        close: async () => {
          close()
          remove()
        },
      }
    },
  }
}
