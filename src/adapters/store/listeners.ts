/** The listeners of `onAppend`. */
export interface Listeners {
  /** Adds a listener; the function returned removes it. */
  readonly add: (wake: () => void) => () => void
  /** Calls all listeners, after the current code: what they throw must not reach the writer. */
  readonly wakeAll: () => void
  readonly isEmpty: () => boolean
}

/** @see Listeners */
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
