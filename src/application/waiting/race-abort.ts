import { Fault, unavailable } from '../errors/fault.js'

const cancelled = (): Fault => new Fault({ kind: 'Cancelled' })

/**
 * Waits for `promise`, but no longer than until `signal` aborts; what becomes of it then is nobody's.
 *
 * @throws Fault when it did
 */
export const raceAbort = <Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> => {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(cancelled())
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', giveUp))
    try {
      if (signal.aborted) giveUp()
      else signal.addEventListener('abort', giveUp, { once: true })
    } catch (cause) {
      reject(unavailable(cause, 'not_recorded'))
    }
  })
}
