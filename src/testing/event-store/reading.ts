import type { EventCount, EventStore, RecordedEvent } from '../../ports/event-store.js'
import { demandEqual } from '../law.js'
import { storeLaws } from './harness.js'
import { appendOf, firstOf, record, wholeLog, write } from './samples.js'

/** Twelve events: four appends of one to a stream of its own, two to a common one. */
const fill = async (store: EventStore): Promise<readonly RecordedEvent[]> => {
  const recorded: RecordedEvent[] = []
  for (let n = 0; n < 4; n++) {
    const writes = [write('law-common', 2 * n, { n }, { n }), write(`law-${n}`, 0, { n })]
    recorded.push(...(await record(store, appendOf(writes))))
  }
  return recorded
}

/** What can be read back. */
export const readingLaws = storeLaws({
  'a stream is read above a version, oldest first': async (store) => {
    const common = (await fill(store)).filter(({ stream }) => stream === 'law-common')
    demandEqual('the stream', await store.readStream('law-common'), common)
    demandEqual('above 0', await store.readStream('law-common', 0), common)
    demandEqual('above 5', await store.readStream('law-common', 5), common.slice(5))
    demandEqual('above its version', await store.readStream('law-common', 8), [])
    demandEqual('above any version', await store.readStream('law-common', 2 ** 53 - 1), [])
    demandEqual('a stream that does not exist', await store.readStream('law-none'), [])
  },
  'the log is read above a position, lowest first, at most as many events as asked for': async (
    store,
  ) => {
    const all = await fill(store)
    const fourth = all[3]?.position ?? 0n
    demandEqual('the log', await store.readAll(0n, 1000), all)
    demandEqual('the first five', await store.readAll(0n, 5), all.slice(0, 5))
    demandEqual('three after the fourth', await store.readAll(fourth, 3), all.slice(4, 7))
    demandEqual('none', await store.readAll(0n, 0), [])
    demandEqual('less than none', await store.readAll(0n, -1), [])
  },
  'the log can be read from a position between or beyond those of events': async (store) => {
    const all = await fill(store)
    const first = all[0]?.position ?? 0n
    const last = all.at(-1)?.position ?? 0n
    for (const below of [-(2n ** 64n), -1n, first - 1n]) {
      demandEqual(`above ${below}`, await store.readAll(below, 1), all.slice(0, 1))
    }
    demandEqual('from the last', await store.readAll(last, 10), [])
    demandEqual('beyond the last', await store.readAll(last + 1n, 10), [])
    demandEqual('beyond all positions', await store.readAll(2n ** 64n, 10), [])
  },
  'a store that counts events counts those above a position': async (
    store: EventStore & Partial<EventCount>,
  ) => {
    if (store.countAfter === undefined) return
    demandEqual('events of an empty store', await store.countAfter(0n), 0)
    const positions = (await fill(store)).map(({ position }) => position)
    for (const after of [-(2n ** 64n), 0n, ...positions, 2n ** 64n]) {
      const above = positions.filter((position) => position > after).length
      demandEqual(`events above ${after}`, await store.countAfter(after), above)
    }
  },
  'the last position is that of the last event, 0n in an empty store': async (store) => {
    demandEqual('the last position of an empty store', await store.lastPosition(), 0n)
    const all = await fill(store)
    demandEqual('the last position', await store.lastPosition(), all.at(-1)?.position)
  },
  'an append is found by its id, with all of its events in the order written': async (store) => {
    const all = await fill(store)
    for (const { appendId } of all) {
      const found = await store.findAppend({ id: appendId })
      demandEqual(
        'what is found',
        found,
        all.filter((event) => event.appendId === appendId),
      )
    }
    demandEqual('what was never recorded', await store.findAppend(firstOf('law-x')), [])
  },
  'a stream and an append of many events are read as a whole': async (store) => {
    const data = Array.from({ length: 1_100 }, (_, n) => ({ n }))
    const append = appendOf([write('law-a', 0, ...data)], { idempotencyKey: 'key' })
    const recorded = await record(store, append)
    demandEqual(
      'versions and numbers recorded',
      recorded.map(({ version, data }) => [version, data]),
      data.map((data, n) => [n + 1, data]),
    )
    demandEqual('the stream', await store.readStream('law-a'), recorded)
    demandEqual('what the id finds', await store.findAppend(append), recorded)
    demandEqual('what the key finds', await store.findAppend({ idempotencyKey: 'key' }), recorded)
  },
  'what one handle records, every handle on the same data reads': async (store, { reopen }) => {
    const second = await reopen(store)
    const log = [...(await fill(store))]
    for (const [n, writer] of [second, store, second].entries()) {
      const idempotencyKey = `key-${n}`
      const append = appendOf([write('law-common', 8 + n, { n })], { idempotencyKey })
      const demandRead = async (recorded: readonly RecordedEvent[]) => {
        log.push(...recorded)
        for (const handle of [store, second]) {
          const common = log.filter(({ stream }) => stream === 'law-common')
          demandEqual('the log', await wholeLog(handle), log)
          demandEqual('the stream', await handle.readStream('law-common'), common)
          demandEqual('the last position', await handle.lastPosition(), log.at(-1)?.position)
          demandEqual('what the id finds', await handle.findAppend(append), recorded)
          demandEqual('what the key finds', await handle.findAppend({ idempotencyKey }), recorded)
        }
      }
      await demandRead([])
      await demandRead(await record(writer, append))
    }
  },
})
