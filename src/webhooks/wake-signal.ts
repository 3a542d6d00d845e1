import type { Environment } from '../ports/environment.js'

/** Wakes a loop that waits. */
interface WakeSignal {
  readonly wake: () => void
  /** Waits until `wake` is called, or was since the last wait; for a limited time, and until `signal` aborts. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>
}

/** @see WakeSignal */
export const wakeSignal = ({ sleep }: Environment): WakeSignal => {
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
        await sleep(milliseconds, waking.signal)
        signal.removeEventListener('abort', endWait)
        endWait = undefined
      }
      isAwake = false
    },
  }
}
