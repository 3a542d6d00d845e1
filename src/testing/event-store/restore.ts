import type { RecordedEvent } from '../../ports/event-store.js'
import { demand, demandEqual, demandRejection } from '../law.js'
import { spoil } from '../spoil.js'
import { type EventRestoreLaw, storeLaws } from './harness.js'
import { appendOf, firstOf, record, verdict, wholeLog, write } from './samples.js'
import { wakesBy } from './wake.js'

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
