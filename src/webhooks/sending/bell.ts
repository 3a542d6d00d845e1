import type { Clock } from '../clock.js'

/** Wakes what waits. */
export interface Bell {
  readonly ring: () => void
  /** Waits until it rings, or has rung since the last wait; for a limited time, and until `signal` aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** @see Bell */
export const bellOf = (clock: Clock): Bell => {
  let hasRung = false
  let wake: (() => void) | undefined
  return {
    ring: () => {
      hasRung = true
      wake?.()
    },
    wait: async (milliseconds, signal) => {
      if (!hasRung && !signal.aborted) {
        const waking = new AbortController()
        wake = () => waking.abort()
        signal.addEventListener('abort', wake)
        await clock.sleep(milliseconds, waking.signal)
        signal.removeEventListener('abort', wake)
        wake = undefined
      }
      hasRung = false
    },
  }
}
