import { Fault, fromPort, unavailable } from '../errors/fault.js'

/**
 * Waits for `promise`, but not after `signal` aborts. The promise is not cancelled: its outcome is then ignored.
 *
 * @throws Fault when the signal aborts first
 */
export const raceAbort = <Value>(
  promise: Promise<Value>,
  signal: AbortSignal | undefined,
): Promise<Value> => {
  if (!signal) return promise
  return new Promise((resolve, reject) => {
    const cancel = () => reject(new Fault({ kind: 'Cancelled' }))
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', cancel))
    try {
      if (signal.aborted) cancel()
      else signal.addEventListener('abort', cancel, { once: true })
    } catch (cause) {
      reject(unavailable(cause, 'not_recorded'))
    }
  })
}

/** {@link fromPort}, but it does not wait after `signal` aborts. @throws Fault when it aborts first */
export const callPort = <Value>(
  call: () => Promise<Value> | Value,
  signal: AbortSignal | undefined,
): Promise<Value> => raceAbort(fromPort(call), signal)
