const later: (next: () => void) => unknown =
  typeof setImmediate === 'function' ? setImmediate : setTimeout

/**
 * Lets the event loop turn. Between full pages of a log everybody else gets a chance, timers and signals
 * among them, also when the store never waits for anything.
 */
export const turn = (): Promise<void> =>
  new Promise((resolve) => {
    later(resolve)
  })
