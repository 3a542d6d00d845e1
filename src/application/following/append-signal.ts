import type { EventStore } from '../../ports/event-store.js'

/** How long to wait for a hint before looking anyway, in milliseconds. */
const WITH_HINTS = 1_000
const WITHOUT_HINTS = 100

/** Tells that there may be new events in a store. */
export interface AppendSignal {
  /** How many hints came so far. Taken before a look at the store, it makes sure that none is missed. */
  readonly count: () => number
  /** Waits for a hint after the first `seen`, for a while, or until `signal` aborts. */
  readonly wait: (seen: number, signal: AbortSignal | undefined) => Promise<void>
  /** Ends the hints. */
  readonly end: () => void
}

/** @see AppendSignal */
export const appendSignal = (store: EventStore): AppendSignal => {
  let hints = 0
  const waiting = new Set<() => void>()
  const end = store.onAppend?.(() => {
    hints++
    for (const wake of waiting) wake()
  })
  const longest = end ? WITH_HINTS : WITHOUT_HINTS
  return {
    count: () => hints,
    wait: (seen, signal) =>
      new Promise((resolve) => {
        if (hints > seen || signal?.aborted) return resolve()
        const wake = () => {
          clearTimeout(timer)
          waiting.delete(wake)
          signal?.removeEventListener('abort', wake)
          resolve()
        }
        signal?.addEventListener('abort', wake, { once: true })
        const timer = setTimeout(wake, longest)
        waiting.add(wake)
      }),
    end: () => end?.(),
  }
}
