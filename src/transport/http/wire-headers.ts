import type { HeaderReader } from '../errors/call.js'
import { LONGEST_TIMER } from './rest/deadline.js'

/** Headers that ConnectRPC repeats in its errors, which gRPC sends in trailers: they must not grow. */
const REPEATED = ['grpc-timeout', 'grpc-encoding']

const CHANGED = [...REPEATED, 'content-encoding', 'connect-timeout-ms']

/** Longer than any value of theirs that means something. */
const LONGEST = 64

const MILLISECONDS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000 }

/** In any case, as every coding (RFC 9110, section 8.4.1). */
const NO_CODING = /^(identity)?$/i

/** Whether a body has a coding that is more than a name. */
export const isEncoded = (header: HeaderReader): boolean =>
  !NO_CODING.test(header.get('content-encoding') ?? '')

/**
 * The headers for ConnectRPC: without a coding that is none, and without deadlines that no timer waits for. Copied
 * only where there is one of these.
 */
export const wireHeaders = (received: Headers): Headers => {
  if (!CHANGED.some((name) => received.has(name))) return received
  const header = new Headers(received)
  for (const name of REPEATED) {
    const value = header.get(name)
    if (value !== null) header.set(name, value.slice(0, LONGEST))
  }
  if (!isEncoded(header)) header.delete('content-encoding')
  if (timeoutOf(header.get('grpc-timeout')) > LONGEST_TIMER) header.delete('grpc-timeout')
  if (Number(header.get('connect-timeout-ms')) > LONGEST_TIMER) header.delete('connect-timeout-ms')
  return header
}

const timeoutOf = (text: string | null): number => {
  const [, digits, unit = ''] = /^(\d{1,8})([HMS])$/.exec(text ?? '') ?? []
  return Number(digits ?? 0) * (MILLISECONDS[unit] ?? 0)
}
