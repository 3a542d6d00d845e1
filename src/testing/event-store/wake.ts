import type { EventStore, Position } from '../../ports/event-store.js'
import { allOf, BrokenLaw, demandEqual } from '../law.js'
import { type EventStoreHarness, storeLaws } from './harness.js'
import { firstOf, record } from './samples.js'

/** Longest time from an append to the call of `wake`, in milliseconds. */
const WAKE_TIMEOUT_MS = 5_000

/** Listens on `store`, with one call of `onAppend`, until `stop`. */
const listen = (store: EventStore) => {
  let wake = () => {}
  const stop = store.onAppend?.(() => wake())
  return {
    stop: () => stop?.(),
    /** Resolves with the next call from now on at which an event above `last` can be read. */
    next: (last: Position) =>
      new Promise<void>((resolve, reject) => {
        const timeout = setTimeout(
          () => reject(new BrokenLaw(`Expected a call within ${WAKE_TIMEOUT_MS} ms of new events`)),
          WAKE_TIMEOUT_MS,
        )
        wake = () => {
          store.lastPosition().then((position) => {
            if (position === last) return
            clearTimeout(timeout)
            resolve()
          }, reject)
        }
      }),
  }
}

/** Does `change`, which adds to `store`, and waits until each of `listeners` was called. */
const doAndWait = async (
  store: EventStore,
  change: () => Promise<unknown>,
  listeners: readonly ReturnType<typeof listen>[],
): Promise<void> => {
  const last = await store.lastPosition()
  const calls = listeners.map(({ next }) => next(last))
  await allOf<unknown>([change(), ...calls])
}

/** Checks that each of `changes` to a store, one after the other, calls the listeners of every handle. */
export const wakesBy =
  <Store extends EventStore>(changes: readonly ((store: Store) => Promise<unknown>)[]) =>
  async (store: Store, { reopen }: EventStoreHarness<Store>): Promise<void> => {
    if (store.onAppend === undefined) return
    const listeners = [store, store, await reopen(store)].map(listen)
    try {
      for (const change of changes) await doAndWait(store, () => change(store), listeners)
    } finally {
      for (const { stop } of listeners) stop()
    }
  }

/** Of stores that have `onAppend`, which is optional. */
export const wakeLaws = storeLaws({
  'every append calls the listeners of every handle': wakesBy([
    (store) => record(store, firstOf('law-a')),
    (store) => record(store, firstOf('law-b')),
  ]),
  'a listener that was removed is not called': async (store) => {
    if (store.onAppend === undefined) return
    let calls = 0
    const stop = store.onAppend(() => calls++)
    stop()
    stop()
    const other = listen(store)
    await doAndWait(store, () => record(store, firstOf('law-a')), [other]).finally(other.stop)
    demandEqual('calls after the end', calls, 0)
  },
})
