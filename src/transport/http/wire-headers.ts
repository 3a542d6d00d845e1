import type { HttpRequest } from '../json/transcode.js'

/** Headers that ConnectRPC repeats in its errors, which gRPC sends in trailers: they must not grow. */
const REPEATED = ['grpc-timeout', 'grpc-encoding']

/** Longer than any value of theirs that means something. */
const LONGEST = 64

/** Longest that a timer of JavaScript waits, in milliseconds; one for longer ends at once. */
const LONGEST_TIMER = 2 ** 31 - 1

const MILLISECONDS: Readonly<Record<string, number>> = { H: 3_600_000, M: 60_000, S: 1_000 }

/** In any case, as every coding (RFC 9110, section 8.4.1). */
const NO_CODING = /^(identity)?$/i

/** The request without a coding that is none, and without deadlines that are farther away than a timer waits: 24 days. */
export const withWireHeaders = (request: HttpRequest): HttpRequest => {
  const header = new Headers(request.header)
  for (const name of REPEATED) {
    const value = header.get(name)
    if (value !== null) header.set(name, value.slice(0, LONGEST))
  }
  if (!isEncoded(header)) header.delete('content-encoding')
  if (timeoutOf(header.get('grpc-timeout')) > LONGEST_TIMER) header.delete('grpc-timeout')
  if (Number(header.get('connect-timeout-ms')) > LONGEST_TIMER) header.delete('connect-timeout-ms')
  return { ...request, header }
}

/** Whether a body has a coding that is more than a name. */
export const isEncoded = (header: Headers): boolean =>
  !NO_CODING.test(header.get('content-encoding') ?? '')

const timeoutOf = (text: string | null): number => {
  const [, digits, unit = ''] = /^(\d{1,8})([HMS])$/.exec(text ?? '') ?? []
  return Number(digits ?? 0) * (MILLISECONDS[unit] ?? 0)
}
