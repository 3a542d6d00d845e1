/**
 * Time and randomness. The library takes them from nowhere else, so that a simulation with its own environment can
 * repeat a run exactly.
 */
export interface Environment {
  /** In milliseconds since the Unix epoch. */
  readonly now: () => number
  /** In milliseconds since some moment; never runs backwards. */
  readonly elapsed: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Bytes that nobody can guess, for secrets. */
  readonly secretBytes: (count: number) => Uint8Array
  /** Waits for a time, or until `signal` aborts. With `isBackground` it does not keep the process alive. */
  readonly sleep: (
    milliseconds: number,
    signal?: AbortSignal,
    isBackground?: boolean,
  ) => Promise<void>
  /** Lets timers, I/O and other callers run. */
  readonly yield: () => Promise<void>
}

/** Longest wait of a timer. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** Read once, because tests of a host may replace the global. */
const later: (next: () => void) => unknown =
  typeof setImmediate === 'function' ? setImmediate : setTimeout

/** Time and randomness of the machine. */
export const systemEnvironment: Environment = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  random: () => Math.random(),
  secretBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
  sleep: (milliseconds, signal, isBackground) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve()
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', end)
        resolve()
      }
      // Before the timer: a signal that cannot be listened to throws here, and leaves no timer behind.
      signal?.addEventListener('abort', end)
      const timer = setTimeout(end, Math.min(milliseconds, MAX_TIMER_MS))
      if (isBackground) timer.unref?.()
    }),
  yield: () =>
    new Promise((resolve) => {
      later(resolve)
    }),
}
