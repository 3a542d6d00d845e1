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

/** Whether {@link emmettSqlite} can be measured. */
export const isEmmettSqliteInstalled = (): Promise<boolean> =>
  import(MODULE).then(
    () => true,
    () => false,
  )

/** Emmett on SQLite, once it was installed. */
export const emmettSqlite: System = {
  name: 'Emmett, bare',
  open: async (task) => {
    const { openEmmettSqlite } = await import(MODULE)
    const { path, remove } = temporaryFile()
    const { store, close }: Opened = openEmmettSqlite(path)
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
