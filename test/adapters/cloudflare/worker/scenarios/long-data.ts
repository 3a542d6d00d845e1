import { durableObjectStore, StoreFault } from '../../../../../src/adapters/cloudflare/index.js'
import type { StreamId } from '../../../../../src/domain/values.js'
import {
  appendOf,
  firstOf,
  record,
  wholeLog,
  write,
} from '../../../../../src/laws/event-store/harness.js'
import { demandEqual } from '../../../../../src/laws/law.js'
import { rowsIn, type Scenario } from './scenario.js'

/** 3.9 MB, with characters of two units at every place where it may be cut. */
const LONG = { text: `x${'🔑é'.repeat(650_000)}` }

const bytesOfParts = 'SELECT length(CAST(part AS blob)) FROM event_parts'

export const longData: Scenario = async (state) => {
  const { store } = durableObjectStore(state.storage)
  const writes = [write('law-long', 0, { n: 1 }, LONG, { n: 3 })]
  const append = appendOf(writes, { idempotencyKey: 'key' })
  const recorded = await record(store, append)
  const again = durableObjectStore(state.storage).store
  demandEqual('the log', await wholeLog(again), recorded)
  demandEqual('a stream', await again.readStream('law-long' as StreamId), recorded)
  demandEqual('an append', await again.findAppend({ id: append.id }), recorded)
  const rows = rowsIn(state, 'SELECT data FROM events ORDER BY position')
  const parts = rowsIn(state, bytesOfParts).map(([bytes]) => Number(bytes))

  state.storage.sql.exec('DELETE FROM events; DELETE FROM event_parts')
  await again.restore(recorded)
  demandEqual('what was restored', await wholeLog(again), recorded)
  return {
    emptyRows: rows.map(([data]) => data === ''),
    parts: parts.length,
    fit: parts.every((bytes) => bytes < 2_000_000),
    restored: rowsIn(state, bytesOfParts).length,
  }
}

export const lostParts: Scenario = async (state) => {
  const { store } = durableObjectStore(state.storage)
  await record(store, appendOf([write('law-long', 0, { n: 1 }, LONG)]))
  const types = async () => (await wholeLog(store)).map(({ data }) => typeof data)
  state.storage.sql.exec('DELETE FROM event_parts WHERE nth = 0')
  const ofOne = await types()
  state.storage.sql.exec('DELETE FROM event_parts')
  return { ofOne, ofAll: await types() }
}

/** A row that is written together with parts that cannot be written. */
export const halfWritten: Scenario = async (state) => {
  const { store } = durableObjectStore(state.storage)
  const [first] = await record(store, firstOf('law-a'))
  state.storage.sql.exec('ALTER TABLE event_parts RENAME TO elsewhere')
  const appended = store.append(appendOf([write('law-b', 0, { n: 1 }, LONG)]))
  const position = (first?.position ?? 0n) + 1n
  const restored = store.restore(first ? [{ ...first, position, version: 2, data: LONG }] : [])
  const faults = [appended, restored].map((work) =>
    work.then(
      () => 'done',
      (error: unknown) => error instanceof StoreFault && [error.message, error.outcome],
    ),
  )
  return { faults: await Promise.all(faults), events: (await wholeLog(store)).length }
}
