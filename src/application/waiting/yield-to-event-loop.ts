const later: (next: () => void) => unknown =
  typeof setImmediate === 'function' ? setImmediate : setTimeout

/**
 * Lets the event loop turn. Between the parts of something long everybody else gets a chance, timers and
 * signals among them, also when neither store nor source ever waits for anything.
 */
export const yieldToEventLoop = (): Promise<void> =>
  new Promise((resolve) => {
    later(resolve)
  })
