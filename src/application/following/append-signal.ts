import type { EventStore } from '../../ports/event-store.js'

/** Longest wait before the next read of a store that gives hints, and of one that does not, in milliseconds. */
const WITH_HINTS = 1_000
const WITHOUT_HINTS = 100

/** Waits for new events in a store. */
export interface AppendSignal {
  /** Number of hints so far. Taken before the store is read, it makes sure that `wait` misses none. */
  readonly count: () => number
  /** Waits for a hint after the first `seen`, for a limited time, or until `signal` aborts. */
  readonly wait: (seen: number, signal: AbortSignal | undefined) => Promise<void>
  /** Stops listening to the store. */
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
        signal?.addEventListener('abort', wake)
        const timer = setTimeout(wake, longest)
        waiting.add(wake)
      }),
    end: () => end?.(),
  }
}
