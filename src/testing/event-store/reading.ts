import type { EventCount, EventStore, RecordedEvent } from '../../ports/event-store.js'
import { demand, demandEqual, demandRejection, lawsOf } from '../law.js'
import { spoil } from '../spoil.js'
import { wakesBy } from './concurrency.js'
import {
  appendOf,
  type EventRecoveryLaw,
  type EventRestoreLaw,
  firstOf,
  record,
  storeLaws,
  verdict,
  wholeLog,
  write,
} from './harness.js'

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

/** What a store keeps when the program or its server crashes; not for one in memory. */
export const eventRecoveryLaws: readonly EventRecoveryLaw[] = lawsOf({
  'answered appends survive a crash with their idempotency keys, and the log goes on': async ({
    open,
    crash,
  }) => {
    const store = await open()
    for (let n = 0; n < 5; n++) {
      const writes = [write(`law-${n}`, 0, { n }), write('law-common', 2 * n, {}, {})]
      await record(store, appendOf(writes, { idempotencyKey: `key-${n}` }))
    }
    const log = await wholeLog(store)
    const recovered = await crash(store)
    demandEqual('the log', await wholeLog(recovered), log)
    const again = firstOf('law-again', { idempotencyKey: 'key-3' })
    demandEqual('a second use of a key', await verdict(recovered, again), {
      kind: 'IdempotencyKeyUsed',
    })
    const [next] = await record(recovered, appendOf([write('law-common', 10, {})]))
    demand((next?.position ?? 0n) > (log.at(-1)?.position ?? 0n), 'positions to rise on')
  },
  'an append interrupted by a crash is there as a whole or not at all': async ({ open, crash }) => {
    const store = await open()
    const appends = Array.from({ length: 50 }, (_, n) =>
      appendOf([write(`law-a-${n}`, 0, { n }, { n }), write(`law-b-${n}`, 0, { n })]),
    )
    const answered: RecordedEvent[] = []
    const sent = appends.map((append) =>
      record(store, append).then(
        (events) => answered.push(...events),
        () => undefined,
      ),
    )
    await Promise.race(sent)
    const recovered = await crash(store)
    const known = [...answered]
    const log = await wholeLog(recovered)
    const positions = new Set(log.map(({ position }) => position))
    demand(
      known.every(({ position }) => positions.has(position)),
      'everything that was answered to be there',
    )
    for (const { id } of appends) {
      const { length } = log.filter(({ appendId }) => appendId === id)
      demand(length === 0 || length === 3, `none or 3 events of an append, not ${length}`)
    }
  },
})

const KEY = 'org-1+key'

/** In the year 2096: ahead of every clock. */
const LATE = 4_000_000_000_000_000n

/** Four events as another store may have recorded them: with gaps, long ago, and with a clock set wrong. */
const copied = (): readonly RecordedEvent[] => {
  const metadata = firstOf('law-a').metadata
  const events = [
    { stream: 'law-a', version: 1, position: 1n, appendId: 'append-1', metadata },
    { stream: 'law-b', version: 1, position: 9n, appendId: 'append-2', metadata },
    { stream: 'law-a', version: 2, position: 10n, appendId: 'append-2', metadata },
    { stream: 'law-b', version: 2, position: LATE, appendId: 'append-2', metadata },
  ] as const
  return events.map((event, n) => ({
    ...event,
    metadata: n === 0 ? metadata : { ...metadata, idempotencyKey: KEY },
    type: 'law.tried',
    schemaVersion: 1 + n,
    data: { n },
  }))
}

/** What the port `EventRestore` promises. */
export const eventRestoreLaws: readonly EventRestoreLaw[] = storeLaws({
  'events are restored as they are, can be found, and the log goes on': async (
    store,
    { reopen },
  ) => {
    const handles = [store, await reopen(store)]
    const [events, handedIn] = [copied(), copied()]
    await store.restore(handedIn)
    spoil(handedIn)
    for (const handle of handles) {
      demandEqual('the log', await wholeLog(handle), events)
      demandEqual('the last position', await handle.lastPosition(), LATE)
      const found = await handle.findAppend({ idempotencyKey: KEY })
      demandEqual('what the key finds', found, events.slice(1))
      demandEqual('what the id finds', await handle.findAppend({ id: 'append-2' }), found)
      const again = firstOf('law-c', { idempotencyKey: KEY })
      demandEqual('a second use', await verdict(handle, again), { kind: 'IdempotencyKeyUsed' })
    }
    for (const [n, handle] of handles.entries()) {
      const last = await store.lastPosition()
      const [next] = await record(handle, appendOf([write('law-a', 2 + n, {})]))
      demand((next?.position ?? 0n) > last, 'an append to lie above what was restored')
    }
  },
  'an append may be restored in parts': async (store) => {
    const events = copied()
    for (const event of events) await store.restore([event])
    await store.restore([])
    demandEqual('the log', await wholeLog(store), events)
    const found = await store.findAppend({ idempotencyKey: KEY })
    demandEqual('what the key finds', found, events.slice(1))
    demandEqual('what the id finds', await store.findAppend({ id: 'append-2' }), found)
  },
  'a restore calls the listeners of every handle': wakesBy([
    (store) => store.restore(copied().slice(0, 2)),
    (store) => store.restore(copied().slice(2)),
  ]),
  'events are restored all or none, only in rising order above the last position': async (
    store,
  ) => {
    const [first, second, third, fourth] = copied()
    demand(!!first && !!second && !!third && !!fourth, 'four events')
    const stranger = { ...third, appendId: 'append-3' }
    const stages = [
      [
        first,
        {
          'positions that fall': [{ ...second, position: 12n }, third],
          'a version twice': [second, { ...fourth, version: 1 }],
          'a key twice': [second, stranger],
        },
      ],
      [
        second,
        {
          'the last position again': [{ ...third, position: second.position }],
          'a lower position': [{ ...third, position: 6n }],
          'a version that is taken': [third, { ...fourth, version: 1 }],
          'a version that leaves a gap': [third, { ...fourth, version: 3 }],
          'a key that is taken': [stranger],
        },
      ],
    ] as const
    for (const [event, refused] of stages) {
      await store.restore([event])
      const log = await wholeLog(store)
      for (const [what, events] of Object.entries(refused)) {
        await demandRejection(`a restore with ${what}`, store.restore(events))
        demandEqual(`the log after ${what}`, await wholeLog(store), log)
      }
    }
    await store.restore([third, fourth])
    demandEqual('the log', await wholeLog(store), copied())
  },
})
