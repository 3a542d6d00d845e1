/** The listeners of `onAppend`. */
export const listeners = () => {
  const waiting = new Set<{ readonly wake: () => void }>()
  return {
    /** Adds a listener; the function returned removes it. */
    add: (wake: () => void): (() => void) => {
      const listener = { wake }
      waiting.add(listener)
      return () => {
        waiting.delete(listener)
      }
    },
    /** Calls all listeners, after the current code: what they throw must not reach the writer. */
    wakeAll: (): void => {
      for (const listener of waiting) {
        Promise.resolve().then(() => {
          if (waiting.has(listener)) listener.wake()
        })
      }
    },
    isEmpty: (): boolean => waiting.size === 0,
  }
}
