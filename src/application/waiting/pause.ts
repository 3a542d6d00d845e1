/** For how many milliseconds lost races are decided anew before they are reported. */
const DECIDE_ANEW_FOR = 10_000

/** Tells, of a call that begins now, whether it has lost races for too long. */
export const retryDeadline = (): (() => boolean) => {
  const deadline = performance.now() + DECIDE_ANEW_FOR
  return () => performance.now() >= deadline
}

/**
 * Longest pause between two attempts, in milliseconds. It stays short, so that a call that lost often has the same
 * chance as one that has just begun.
 */
const LONGEST_BETWEEN = 50

/**
 * Waits before a decision is taken anew: not at all the first time, then for a random while that
 * may double each time, so that losers do not meet again. Ends early when `signal` does.
 */
export const pause = (attempts: number, signal: AbortSignal | undefined): Promise<void> => {
  if (attempts === 1) return Promise.resolve()
  return delay(Math.random() * Math.min(LONGEST_BETWEEN, 2 ** attempts), signal)
}

/** Pauses after a store or a projection was out of order, in milliseconds: the first, and the longest. */
export const FIRST_PAUSE = 10
const LONGEST_PAUSE = 1_000

/** The pause to make when one of `pause` milliseconds did not help. */
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
    // First: what is no signal is refused here, where it can be caught, and not by the timer.
    signal?.addEventListener('abort', done, { once: true })
    const timer = setTimeout(done, milliseconds)
  })
