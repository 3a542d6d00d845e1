import type { HandlerContext } from '@connectrpc/connect'
import { isIamError } from '../../index.js'
import { refuseMalformedCaller } from '../errors/caller-fault.js'
import { failed, refused } from '../errors/unexpected.js'
import type { Edge } from '../options.js'
import { callerKey } from '../rpc/call-context.js'

/** Since when the operations marked deprecated are so: their first release (RFC 9745). */
const DEPRECATED_SINCE = '@1767225600'

/** What is done before the body of a request is read: finding out who calls. */
export const gateOf =
  (edge: Edge) =>
  async (call: HandlerContext): Promise<void> => {
    if (call.method.proto.options?.deprecated)
      call.responseHeader.set('deprecation', DEPRECATED_SINCE)
    try {
      await admit(edge, call)
    } catch (thrown) {
      throw failed(edge, call, thrown)
    }
  }

const admit = async (edge: Edge, call: HandlerContext): Promise<void> => {
  const { requestHeader, signal } = call
  const caller = await Promise.race([edge.authenticate(requestHeader, signal), aborted(signal)])
  // Absent in whatever way: not every host is type-checked.
  if (!caller) throw refused(edge, call, { kind: 'Unauthenticated' })
  if (isIamError(caller)) throw refused(edge, call, caller)
  refuseMalformedCaller(caller)
  call.values.set(callerKey, caller)
}

/** Rejects once the call is over, for whatever reason; so it never outlives the call. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
  })
