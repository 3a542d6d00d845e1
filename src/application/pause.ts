/** Longest pause between two attempts, in milliseconds. */
const LONGEST = 50

/**
 * Waits before a decision is taken anew: not at all the first time, then for a random while that
 * may double each time, so that losers do not meet again. Ends early when `signal` does.
 */
export const pause = (attempts: number, signal: AbortSignal | undefined): Promise<void> => {
  if (attempts === 1) return Promise.resolve()
  return delay(Math.random() * Math.min(LONGEST, 2 ** attempts), signal)
}

/** Waits for some milliseconds, or until `signal` aborts. */
export const delay = (milliseconds: number, signal: AbortSignal | undefined): Promise<void> =>
  new Promise((resolve) => {
    if (signal?.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', done)
      resolve()
    }
    // First: what is no signal is refused here, where it can be caught, and not by the timer.
    signal?.addEventListener('abort', done, { once: true })
    const timer = setTimeout(done, milliseconds)
  })
