/** How long a write is decided anew after lost races before it is aborted, in milliseconds. */
const RETRY_FOR_MS = 10_000

/** Begins the time for retries; the function returns whether it is over. */
export const retryDeadline = (): (() => boolean) => {
  const deadline = performance.now() + RETRY_FOR_MS
  return () => performance.now() >= deadline
}

/** Longest pause between two attempts, in milliseconds: a call that lost often must not fall behind new ones. */
const LONGEST_BETWEEN = 50

/**
 * Waits before the next attempt: not at all after the first, then for a random time whose maximum doubles, so
 * that the same writers do not collide again. Ends early when `signal` aborts.
 */
export const pause = (attempts: number, signal: AbortSignal | undefined): Promise<void> => {
  if (attempts === 1) return Promise.resolve()
  return delay(Math.random() * Math.min(LONGEST_BETWEEN, 2 ** attempts), signal)
}

/** Pauses while a store or a projection is unavailable, in milliseconds: the first, and the longest. */
export const FIRST_PAUSE = 10
const LONGEST_PAUSE = 1_000

/** The pause after one of `pause` milliseconds. */
export const longerPause = (pause: number): number => Math.min(2 * pause, LONGEST_PAUSE)

/** Waits for some milliseconds, or until `signal` aborts. */
export const delay = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    // Before the timer: what is no signal throws here, and leaves no timer behind.
    signal?.addEventListener('abort', done)
    const timer = setTimeout(done, milliseconds)
  })
