import { type Caller, isIamError } from '../../index.js'
import type { Call } from '../errors/call.js'
import { refuseMalformedCaller } from '../errors/caller-fault.js'
import { failed, refused } from '../errors/unexpected.js'
import { Health } from '../gen/grpc/health/v1/health_pb.js'
import type { Authentication, ResolvedOptions } from '../options.js'

/** Since when the operations marked deprecated are so: their first release (RFC 9745). */
const DEPRECATED_SINCE = '@1767225600'

/**
 * Who calls, found out before the body of a request is read; at once where the host knows it at once. Undefined
 * where nobody is asked: probes have no credentials, and health tells nothing of any organization.
 *
 * @throws ConnectError that is the answer
 */
export const authenticateCall = (
  options: ResolvedOptions,
  call: Call,
  headers: Headers,
): Caller | Promise<Caller> | undefined => {
  if (call.method.parent === Health) return undefined
  if (call.method.proto.options?.deprecated)
    call.responseHeader.set('deprecation', DEPRECATED_SINCE)
  try {
    const answered = options.authenticate(headers, call.signal)
    const isPromise = typeof answered === 'object' && answered !== null && 'then' in answered
    return isPromise ? awaited(options, call, answered) : admitted(options, call, answered)
  } catch (thrown) {
    throw failed(options, call, thrown)
  }
}

const awaited = async (
  options: ResolvedOptions,
  call: Call,
  answering: Promise<Authentication>,
): Promise<Caller> => {
  try {
    return admitted(options, call, await Promise.race([answering, aborted(call.signal)]))
  } catch (thrown) {
    throw failed(options, call, thrown)
  }
}

const admitted = (options: ResolvedOptions, call: Call, caller: Authentication): Caller => {
  // Absent in whatever way: not every host is type-checked.
  if (!caller) throw refused(options, call, { kind: 'Unauthenticated' })
  if (isIamError(caller)) throw refused(options, call, caller)
  refuseMalformedCaller(caller)
  return caller
}

/** Rejects once the call is over. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
  })
