import type { EventStore, Position } from '../../ports/event-store.js'
import { allOf, BrokenLaw, demandEqual } from '../law.js'
import type { EventStoreHarness, EventStoreLaw } from './harness.js'
import { firstOf, record } from './samples.js'

/** Longest that a hint of a store may take, in milliseconds, before it is of no use. */
const PATIENCE = 5_000

/** Waits on `store`, with one call of `onAppend`, for as long as it takes or until `stop`. */
const waiting = (store: EventStore) => {
  let wake = () => {}
  const stop = store.onAppend?.(() => wake())
  return {
    stop: () => stop?.(),
    /** Resolves with the next hint from now on at which an event above `last` can be read. */
    next: (last: Position) =>
      new Promise<void>((resolve, reject) => {
        const impatience = setTimeout(
          () => reject(new BrokenLaw(`Expected a hint within ${PATIENCE} ms of new events`)),
          PATIENCE,
        )
        wake = () => {
          store.lastPosition().then((position) => {
            if (position === last) return
            clearTimeout(impatience)
            resolve()
          }, reject)
        }
      }),
  }
}

/** Does `change`, which adds to `store`, while those of `waits` wait for a hint. */
const doAwaited = async (
  store: EventStore,
  change: () => Promise<unknown>,
  waits: readonly ReturnType<typeof waiting>[],
): Promise<void> => {
  const last = await store.lastPosition()
  const hints = waits.map(({ next }) => next(last))
  await allOf<unknown>([change(), ...hints])
}

/** Checks that each of `changes` to a store, one after the other, wakes those who wait on any handle. */
export const wakesBy =
  <Store extends EventStore>(changes: readonly ((store: Store) => Promise<unknown>)[]) =>
  async ({ open, reopen }: EventStoreHarness<Store>): Promise<void> => {
    const store = await open()
    if (store.onAppend === undefined) return
    const waits = [store, store, await reopen(store)].map(waiting)
    try {
      for (const change of changes) await doAwaited(store, () => change(store), waits)
    } finally {
      for (const { stop } of waits) stop()
    }
  }

/** What holds for stores that have `onAppend`; the others need not. */
export const wakeLaws: readonly EventStoreLaw[] = [
  {
    name: 'every append wakes those who wait, on every handle',
    check: wakesBy([
      (store) => record(store, firstOf('law-a')),
      (store) => record(store, firstOf('law-b')),
    ]),
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
      await doAwaited(store, () => record(store, firstOf('law-a')), [wait]).finally(wait.stop)
      demandEqual('calls after the end', calls, 0)
    },
  },
]
