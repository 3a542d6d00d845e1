import { Code } from '@connectrpc/connect'
import type { Call } from '../errors/call.js'
import { statusError, transportStatus } from '../errors/status-error.js'
import { failed } from '../errors/unexpected.js'
import type { ResolvedOptions } from '../options.js'

/** Most bytes of one request. */
export const MAX_REQUEST_BYTES = 1024 * 1024

/** A call, and the body of its request. */
interface Incoming {
  readonly call: Call
  readonly body: (most: number) => Promise<Uint8Array>
}

/** All bytes of a body, at most `most`. Why one cannot be read is reported to the host. @throws ConnectError */
export const readBody = async (
  options: ResolvedOptions,
  { call, body }: Incoming,
  most: number,
): Promise<Uint8Array> => {
  try {
    const bytes = await body(most)
    if (bytes.length > most) throw statusError(TOO_LARGE)
    // Over HTTP/2, a request that was cut off looks like one that has ended.
    call.signal.throwIfAborted()
    return bytes
  } catch (cause) {
    throw failed(options, call, cause)
  }
}

const TOO_LARGE = transportStatus(Code.ResourceExhausted, 'The request is larger than 1 MiB')

/** Pieces of a body as one. */
export const joined = (pieces: readonly Uint8Array[]): Uint8Array => {
  const [first] = pieces
  if (first && pieces.length === 1) return first
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let start = 0
  for (const piece of pieces) {
    bytes.set(piece, start)
    start += piece.length
  }
  return bytes
}
