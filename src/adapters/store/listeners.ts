/** Those who wait for new events through `onAppend`. */
export interface Listeners {
  /** Calls `wake` from now on; the function returned ends the calls. */
  readonly add: (wake: () => void) => () => void
  /** Calls everyone, after the code that runs now: what a listener throws is not the writer's. */
  readonly wakeAll: () => void
  readonly isEmpty: () => boolean
}

/** Nobody, at first. */
export const listeners = (): Listeners => {
  const waiting = new Set<{ readonly wake: () => void }>()
  return {
    add: (wake) => {
      const listener = { wake }
      waiting.add(listener)
      return () => {
        waiting.delete(listener)
      }
    },
    wakeAll: () => {
      for (const listener of waiting) {
        Promise.resolve().then(() => {
          if (waiting.has(listener)) listener.wake()
        })
      }
    },
    isEmpty: () => waiting.size === 0,
  }
}
