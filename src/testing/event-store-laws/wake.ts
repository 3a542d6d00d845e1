import type { Append, EventStore } from '../../ports/event-store.js'
import { allOf, BrokenLaw, demandEqual } from '../law.js'
import type { EventStoreLaw } from './harness.js'
import { firstOf, record } from './samples.js'

/** Longest that a hint of a store may take, in milliseconds, before it is of no use. */
const PATIENCE = 5_000

/** Waits on `store`, with one call of `onAppend`, for as long as it takes or until `stop`. */
const waiting = (store: EventStore) => {
  let wake = () => {}
  const stop = store.onAppend?.(() => wake())
  return {
    stop: () => stop?.(),
    /** Resolves with the next hint from now on. */
    next: () =>
      new Promise<void>((resolve, reject) => {
        const impatience = setTimeout(
          () => reject(new BrokenLaw(`Expected a hint within ${PATIENCE} ms of an append`)),
          PATIENCE,
        )
        wake = () => {
          clearTimeout(impatience)
          resolve()
        }
      }),
  }
}

/** Records `append` while those of `waits` wait for a hint. */
const recordAwaited = (
  store: EventStore,
  append: Append,
  waits: readonly ReturnType<typeof waiting>[],
) => {
  const hints = waits.map(({ next }) => next())
  return allOf<unknown>([record(store, append), ...hints])
}

/** What holds for stores that have `onAppend`; the others need not. */
export const wakeLaws: readonly EventStoreLaw[] = [
  {
    name: 'every append wakes those who wait, on every handle',
    check: async ({ open, reopen }) => {
      const store = await open()
      if (store.onAppend === undefined) return
      const second = await reopen(store)
      const waits = [store, store, second].map(waiting)
      try {
        for (const stream of ['law-a', 'law-b'] as const) {
          await recordAwaited(store, firstOf(stream), waits)
        }
      } finally {
        for (const { stop } of waits) stop()
      }
    },
  },
  {
    name: 'who has stopped waiting is not woken',
    check: async ({ open }) => {
      const store = await open()
      if (store.onAppend === undefined) return
      let calls = 0
      const stop = store.onAppend(() => calls++)
      stop()
      stop()
      const wait = waiting(store)
      await recordAwaited(store, firstOf('law-a'), [wait]).finally(wait.stop)
      demandEqual('calls after the end', calls, 0)
    },
  },
]
