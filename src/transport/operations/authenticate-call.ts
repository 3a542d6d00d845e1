import { type Caller, isIamError } from '../../index.js'
import type { Call } from '../errors/call.js'
import { refuseMalformedCaller } from '../errors/caller-fault.js'
import { failed, refused } from '../errors/unexpected.js'
import type { ResolvedOptions } from '../options.js'

/** Since when the operations marked deprecated are so: their first release (RFC 9745). */
const DEPRECATED_SINCE = '@1767225600'

/** Who calls, found out before the body of a request is read. @throws ConnectError that is the answer */
export const authenticateCall = async (options: ResolvedOptions, call: Call): Promise<Caller> => {
  if (call.method.proto.options?.deprecated)
    call.responseHeader.set('deprecation', DEPRECATED_SINCE)
  try {
    return await callerOf(options, call)
  } catch (thrown) {
    throw failed(options, call, thrown)
  }
}

const callerOf = async (options: ResolvedOptions, call: Call): Promise<Caller> => {
  const { requestHeader, signal } = call
  const answered = options.authenticate(requestHeader, signal)
  const isWaitedFor = answered instanceof Promise
  const caller = isWaitedFor ? await Promise.race([answered, aborted(signal)]) : await answered
  // Absent in whatever way: not every host is type-checked.
  if (!caller) throw refused(options, call, { kind: 'Unauthenticated' })
  if (isIamError(caller)) throw refused(options, call, caller)
  refuseMalformedCaller(caller)
  return caller
}

/** Rejects once nobody waits for the call any more. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
  })
