import { Code } from '@connectrpc/connect'
import type { Call } from '../errors/call.js'
import { errorInfo, statusError } from '../errors/status-error.js'
import { failed } from '../errors/unexpected.js'
import type { ResolvedOptions } from '../options.js'

/** Most bytes of one request. */
export const MAX_REQUEST_BYTES = 1024 * 1024

/** A body, and the call that it is of. */
interface Incoming {
  readonly call: Call
  readonly body: AsyncIterable<Uint8Array>
}

/** All bytes of a body, and no more than `most`. The host is told why one cannot be read. @throws ConnectError */
export const readBody = async (
  options: ResolvedOptions,
  { call, body }: Incoming,
  most: number,
): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = []
  let length = 0
  try {
    for await (const piece of body) {
      // A stream that a host makes may hold anything.
      if (!ArrayBuffer.isView(piece)) throw new TypeError('A body must consist of bytes')
      length += piece.byteLength
      if (length > most) break
      pieces.push(piece)
    }
  } catch (cause) {
    throw failed(options, call, cause)
  }
  if (length > most) throw tooLarge()
  return joined(pieces, length)
}

const joined = (pieces: readonly Uint8Array[], length: number): Uint8Array => {
  const [first] = pieces
  if (first && pieces.length === 1) return first
  const bytes = new Uint8Array(length)
  let start = 0
  for (const piece of pieces) {
    bytes.set(piece, start)
    start += piece.length
  }
  return bytes
}

const tooLarge = () =>
  statusError({
    code: Code.ResourceExhausted,
    message: 'The request is larger than 1 MiB',
    details: [errorInfo('RESOURCE_EXHAUSTED')],
  })
