import type { RecordedEvent } from '../../ports/event-store.js'
import { demand, demandEqual, demandRejection } from '../law.js'
import type { EventRestoreLaw } from './harness.js'
import { appendOf, firstOf, record, verdict, wholeLog, write } from './samples.js'

const KEY = 'org-1+key'

/** A log of four events as another store may have recorded it: with gaps, and of long ago. */
const copied = (): readonly RecordedEvent[] => {
  const metadata = firstOf('law-a').metadata
  const events = [
    { stream: 'law-a', version: 1, position: 5n, appendId: 'append-1', metadata },
    { stream: 'law-b', version: 1, position: 9n, appendId: 'append-2', metadata },
    { stream: 'law-a', version: 2, position: 10n, appendId: 'append-2', metadata },
    { stream: 'law-b', version: 2, position: 11n, appendId: 'append-2', metadata },
  ] as const
  return events.map((event, n) => ({
    ...event,
    metadata: n === 0 ? metadata : { ...metadata, idempotencyKey: KEY },
    type: 'law.tried',
    schemaVersion: 1 + n,
    data: { n },
  }))
}

/** How a log is copied. */
export const restoreLaws: readonly EventRestoreLaw[] = [
  {
    name: 'events are restored as they are and can be found and built upon',
    check: async ({ open, reopen }) => {
      const store = await open()
      const events = copied()
      await store.restore(events)
      const handles = [store, await reopen(store)]
      for (const handle of handles) {
        demandEqual('the log', await wholeLog(handle), events)
        demandEqual('the last position', await handle.lastPosition(), 11n)
        const found = await handle.findAppend({ idempotencyKey: KEY })
        demandEqual('what the key finds', found, events.slice(1))
        demandEqual('what the id finds', await handle.findAppend({ id: 'append-2' }), found)
        const again = firstOf('law-c', { idempotencyKey: KEY })
        demandEqual('a second use', await verdict(handle, again), { kind: 'IdempotencyKeyUsed' })
      }
      const [next] = await record(store, appendOf([write('law-a', 2, {})]))
      demand((next?.position ?? 0n) > 11n, 'an append to lie above what was restored')
    },
  },
  {
    name: 'an append may be restored in parts',
    check: async ({ open }) => {
      const store = await open()
      const events = copied()
      for (const event of events) await store.restore([event])
      await store.restore([])
      demandEqual('the log', await wholeLog(store), events)
      const found = await store.findAppend({ idempotencyKey: KEY })
      demandEqual('what the key finds', found, events.slice(1))
      demandEqual('what the id finds', await store.findAppend({ id: 'append-2' }), found)
    },
  },
  {
    name: 'events are restored all or none, only in rising order above the last position',
    check: async ({ open }) => {
      const store = await open()
      const [first, second, third, fourth] = copied()
      demand(!!first && !!second && !!third && !!fourth, 'four events')
      await store.restore([first, second])
      const refusals = new Map([
        ['the last position again', [{ ...third, position: second.position }]],
        ['a lower position', [{ ...third, position: 6n }]],
        ['positions that fall', [third, { ...fourth, position: 10n }]],
        ['a version that is taken', [third, { ...fourth, version: 1 }]],
        ['a version that leaves a gap', [third, { ...fourth, version: 3 }]],
        ['a key that is taken', [{ ...third, appendId: 'append-3' }]],
      ])
      for (const [what, events] of refusals) {
        await demandRejection(`a restore with ${what}`, store.restore(events))
        demandEqual(`the log after ${what}`, await wholeLog(store), [first, second])
      }
      await store.restore([third, fourth])
      demandEqual('the log', await wholeLog(store), copied())
    },
  },
]
