import {
  type EventCount,
  type EventStore,
  MAX_WRITES,
  type RecordedEvent,
} from '../../ports/event-store.js'
import { demand, demandEqual, demandRejection, lawsOf, spoil } from '../law.js'
import { wakesBy } from './concurrency.js'
import {
  appendOf,
  type EventRecoveryLaw,
  type EventRestoreLaw,
  firstOf,
  positionOf,
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

/** How events are read. */
export const readingLaws = storeLaws({
  'A stream is read above a version, oldest event first.': async (store) => {
    const common = (await fill(store)).filter(({ stream }) => stream === 'law-common')
    demandEqual('the stream', await store.readStream('law-common'), common)
    demandEqual('above 0', await store.readStream('law-common', 0), common)
    demandEqual('above 5', await store.readStream('law-common', 5), common.slice(5))
    demandEqual('above its version', await store.readStream('law-common', 8), [])
    demandEqual('above any version', await store.readStream('law-common', 2 ** 53 - 1), [])
    demandEqual('a stream that does not exist', await store.readStream('law-none'), [])
  },
  'A store that reads several streams together returns each above its version, in the order asked.':
    async (store) => {
      if (store.readStreams === undefined) return
      await fill(store)
      demandEqual('no streams', await store.readStreams([]), [])
      const known = ['law-3', 'law-common', 'law-none', 'law-0'] as const
      const many = Array.from(
        { length: MAX_WRITES - known.length },
        (_, n) => `law-no-${n}` as const,
      )
      for (const afterVersion of [0, 1, 5, 8, 2 ** 53 - 1]) {
        const reads = [...known, ...many].map((stream) => ({ stream, afterVersion }))
        const one = known.map((stream) => store.readStream(stream, afterVersion))
        const expected = [...(await Promise.all(one)), ...many.map(() => [])]
        demandEqual(`above ${afterVersion}`, await store.readStreams(reads), expected)
      }
      const mixed = await store.readStreams([
        { stream: 'law-common', afterVersion: 6 },
        { stream: 'law-1', afterVersion: 0 },
      ])
      const versions = mixed.map((events) => events.map(({ stream, version }) => [stream, version]))
      demandEqual('versions above 6 and 0', versions, [
        [
          ['law-common', 7],
          ['law-common', 8],
        ],
        [['law-1', 1]],
      ])
    },
  'The log is read above a position, lowest position first, up to the limit.': async (store) => {
    const all = await fill(store)
    const fourth = positionOf(all[3])
    demandEqual('the log', await store.readAll(0n, 1000), all)
    demandEqual('the first five', await store.readAll(0n, 5), all.slice(0, 5))
    demandEqual('three after the fourth', await store.readAll(fourth, 3), all.slice(4, 7))
    demandEqual('none', await store.readAll(0n, 0), [])
    demandEqual('less than none', await store.readAll(0n, -1), [])
  },
  'The log can be read from any position, also from one without an event.': async (store) => {
    const all = await fill(store)
    const first = positionOf(all[0])
    const last = positionOf(all.at(-1))
    for (const below of [-(2n ** 64n), -1n, first - 1n]) {
      demandEqual(`above ${below}`, await store.readAll(below, 1), all.slice(0, 1))
    }
    demandEqual('from the last', await store.readAll(last, 10), [])
    demandEqual('beyond the last', await store.readAll(last + 1n, 10), [])
    demandEqual('beyond all positions', await store.readAll(2n ** 64n, 10), [])
  },
  'A store that counts events counts the events above a position.': async (
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
  'The last position is the position of the last event; without events it is 0n.': async (
    store,
  ) => {
    demandEqual('the last position of an empty store', await store.lastPosition(), 0n)
    const all = await fill(store)
    demandEqual('the last position', await store.lastPosition(), all.at(-1)?.position)
  },
  'An append is found by its id, with all of its events in the order written.': async (store) => {
    const all = await fill(store)
    for (const { appendId } of all) {
      const events = all.filter((event) => event.appendId === appendId)
      demandEqual('what the id finds', await store.findAppend({ id: appendId }), events)
    }
    demandEqual('what was never recorded', await store.findAppend(firstOf('law-x')), [])
  },
  'A stream and an append of many events are read as a whole.': async (store) => {
    const data = Array.from({ length: 1_100 }, (_, n) => ({ n }))
    const append = appendOf([write('law-a', 0, ...data)], { idempotencyKey: 'key' })
    const recorded = await record(store, append)
    const stored = recorded.map(({ version, data }) => ({ version, data }))
    demandEqual(
      'what is recorded',
      stored,
      data.map((data, n) => ({ version: n + 1, data })),
    )
    demandEqual('the stream', await store.readStream('law-a'), recorded)
    demandEqual('what the id finds', await store.findAppend(append), recorded)
    demandEqual('what the key finds', await store.findAppend({ idempotencyKey: 'key' }), recorded)
  },
  'Every handle reads what one handle records.': async (store, { reopen }) => {
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

/** The promises of a store whose program or server crashes; not for a store in memory. */
export const eventRecoveryLaws: readonly EventRecoveryLaw[] = lawsOf({
  'Completed appends and their keys survive a crash, and the log continues.': async ({
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
    demand(positionOf(next) > positionOf(log.at(-1)), 'positions to keep rising')
  },
  'A crash during an append records all of it or nothing.': async ({ open, crash }) => {
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
      'all answered events in the log',
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

/** Four events of another store: with gaps, from long ago, and with a wrong clock. */
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

/** The promises of the port `EventRestore`. */
export const eventRestoreLaws: readonly EventRestoreLaw[] = storeLaws({
  'Events are restored as they are, and the log continues.': async (store, { reopen }) => {
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
      demand(positionOf(next) > last, 'an append above the restored events')
    }
  },
  'An append may be restored in parts.': async (store) => {
    const events = copied()
    for (const event of events) await store.restore([event])
    await store.restore([])
    demandEqual('the log', await wholeLog(store), events)
    const found = await store.findAppend({ idempotencyKey: KEY })
    demandEqual('what the key finds', found, events.slice(1))
    demandEqual('what the id finds', await store.findAppend({ id: 'append-2' }), found)
  },
  'A restore calls the listeners of every handle.': wakesBy([
    (store) => store.restore(copied().slice(0, 2)),
    (store) => store.restore(copied().slice(2)),
  ]),
  'Either all events are restored or none, in rising order above the last position.': async (
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
