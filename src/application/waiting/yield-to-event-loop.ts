const later: (next: () => void) => unknown =
  typeof setImmediate === 'function' ? setImmediate : setTimeout

/** Lets timers, I/O and other callers run between the parts of long work, which itself may never wait. */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    later(resolve)
  })
