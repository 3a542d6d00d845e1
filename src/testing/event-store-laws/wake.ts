import type { EventStore } from '../../ports/event-store.js'
import { BrokenLaw, demandEqual } from '../law.js'
import type { EventStoreLaw } from './harness.js'
import { firstOf, record } from './samples.js'

/** Longest that a hint of a store may take, in milliseconds, before it is of no use. */
const PATIENCE = 5_000

/** Resolves with the next hint of `store`, from now on. */
const nextHint = (store: EventStore): Promise<void> =>
  new Promise((resolve, reject) => {
    const impatience = setTimeout(() => {
      stop?.()
      reject(new BrokenLaw(`Expected a hint within ${PATIENCE} ms of an append`))
    }, PATIENCE)
    const stop = store.onAppend?.(() => {
      stop?.()
      clearTimeout(impatience)
      resolve()
    })
  })

/** What holds for stores that have `onAppend`; the others need not. */
export const wakeLaws: readonly EventStoreLaw[] = [
  {
    name: 'an append wakes those who wait, on every handle',
    check: async ({ open, reopen }) => {
      const store = await open()
      if (store.onAppend === undefined) return
      const second = await reopen(store)
      const hints = [nextHint(store), nextHint(store), nextHint(second)]
      await record(store, firstOf('law-a'))
      await Promise.all(hints)
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
      const hint = nextHint(store)
      await record(store, firstOf('law-a'))
      await hint
      demandEqual('calls after the end', calls, 0)
    },
  },
]
