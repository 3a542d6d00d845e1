/** Time and chance; tests have their own. */
export interface Clock {
  /** In milliseconds since the Unix epoch. */
  readonly now: () => number
  /** In milliseconds since some moment; never runs backwards. */
  readonly elapsed: () => number
  /** From 0 to 1. */
  readonly random: () => number
  /** Waits, until `signal` aborts at the latest. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** Longest wait that a timer takes. */
const MAX_TIMER_MS = 2 ** 31 - 1

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  random: () => Math.random(),
  sleep: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve()
      }
      const timer = setTimeout(end, Math.min(milliseconds, MAX_TIMER_MS))
      signal.addEventListener('abort', end)
    }),
}

/** Wakes a loop that waits. */
interface WakeSignal {
  readonly wake: () => void
  /** Waits until `wake` is called, or was since the last wait; for a limited time, and until `signal` aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** @see WakeSignal */
export const wakeSignal = (clock: Clock): WakeSignal => {
  let isAwake = false
  let endWait: (() => void) | undefined
  return {
    wake: () => {
      isAwake = true
      endWait?.()
    },
    wait: async (milliseconds, signal) => {
      if (!isAwake && !signal.aborted) {
        const waking = new AbortController()
        endWait = () => waking.abort()
        signal.addEventListener('abort', endWait)
        await clock.sleep(milliseconds, waking.signal)
        signal.removeEventListener('abort', endWait)
        endWait = undefined
      }
      isAwake = false
    },
  }
}
