import {
  type DurableObjectStorage,
  durableObjectStore,
  StoreFault,
  UnusableStorage,
} from '../../../../../src/adapters/cloudflare/index.js'
import { verify } from '../../../../../src/index.js'
import { newLog } from '../../../../../src/laws/read-model/harness.js'
import { projectAdded } from '../../../../../src/laws/read-model/object-samples.js'
import type { ObjectState } from '../object-state.js'
import { rowsIn, type Scenario } from './scenario.js'

const refusalOf = ({ storage }: ObjectState): unknown => {
  try {
    return durableObjectStore(storage)
  } catch (error) {
    return error instanceof UnusableStorage ? [error.reason, error.message] : String(error)
  }
}

export const foreignTables: Scenario = async (state) => {
  const { sql } = state.storage
  const tables = () =>
    rowsIn(state, `SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name`).flat()
  sql.exec('CREATE TABLE events (id TEXT)')
  const foreign = refusalOf(state)
  const untouched = tables()
  sql.exec('DROP TABLE events; CREATE TABLE own (id TEXT)')
  durableObjectStore(state.storage)
  const beside = tables()
  sql.exec('UPDATE claviger_schema SET version = 2')
  return { foreign, untouched, beside, newer: refusalOf(state) }
}

export const damagedRow: Scenario = async ({ storage }) => {
  const { store } = durableObjectStore(storage)
  const { record, events } = newLog()
  record('acme', projectAdded('portal'))
  await store.restore(events)
  storage.sql.exec(`UPDATE events SET data = ''`)
  const verified = await verify(store)
  return verified.isErr() && verified.error.kind
}

/** A storage that reports a fault when a log is read. */
export const brokenStorage: Scenario = async ({ storage }) => {
  const broken: DurableObjectStorage = {
    sql: {
      exec: (query, ...bindings) => {
        if (query.startsWith('SELECT position, stream')) throw new Error('SQLITE_IOERR')
        return storage.sql.exec(query, ...bindings)
      },
    },
    transactionSync: (work) => storage.transactionSync(work),
  }
  const fault = await durableObjectStore(broken)
    .store.readAll(0n, 1)
    .catch((error: unknown) => error)
  return fault instanceof StoreFault && [fault.message, fault.outcome]
}
