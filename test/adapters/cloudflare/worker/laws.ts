import { durableObjectStore, inTransaction } from '../../../../src/adapters/cloudflare/index.js'
import {
  eventClockLaws,
  eventRestoreLaws,
  eventStoreLaws,
  type InTransactionHarness,
  inTransactionLaws,
  readModelLaws,
} from '../../../../src/laws/index.js'
import { withLog } from '../../read-model-home.js'
import type { ObjectState } from './object-state.js'

const opened = async ({ storage }: ObjectState, now?: () => Date) => {
  await storage.deleteAll()
  return durableObjectStore(storage, { now })
}

const inObject = (state: ObjectState) => ({
  open: async () => (await opened(state)).store,
  openAt: async (now: () => Date) => (await opened(state, now)).store,
  reopen: async () => durableObjectStore(state.storage).store,
})

const withRowsIn = (state: ObjectState): InTransactionHarness => ({
  ...inObject(state),
  open: async () => {
    const { store } = await opened(state)
    state.storage.sql.exec('CREATE TABLE host_row (text TEXT)')
    return store
  },
  insert: (row, then) =>
    inTransaction<typeof state.storage.sql>((sql) => {
      sql.exec('INSERT INTO host_row (text) VALUES (?)', row)
      then?.()
    }),
  rows: async () =>
    [...state.storage.sql.exec('SELECT text FROM host_row ORDER BY rowid').raw()].map(([text]) =>
      String(text),
    ),
})

const readModelIn = (state: ObjectState) => {
  let last: ReturnType<typeof durableObjectStore> | undefined
  return {
    open: async () => {
      const { store, readModel } = await opened(state)
      last = { store, readModel: withLog({ store, readModel }) }
      return last.readModel
    },
    reopen: () => {
      const { store, readModel } = durableObjectStore(state.storage)
      last = { store, readModel: withLog({ store, readModel }) }
      return last.readModel
    },
    store: () => last?.store,
  }
}

/** All laws, each to be run in an object of its own. */
export const LAWS: readonly {
  readonly name: string
  readonly run: (state: ObjectState) => Promise<void>
}[] = [
  ...[...eventStoreLaws, ...eventRestoreLaws, ...eventClockLaws].map(({ name, check }) => ({
    name: `the store: ${name}`,
    run: (state: ObjectState) => check(inObject(state)),
  })),
  ...inTransactionLaws.map(({ name, check }) => ({
    name: `rows of the host: ${name}`,
    run: (state: ObjectState) => check(withRowsIn(state)),
  })),
  ...readModelLaws.map(({ name, check }) => ({
    name: `the read model: ${name}`,
    run: (state: ObjectState) => check(readModelIn(state)),
  })),
]
