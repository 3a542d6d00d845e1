import { malformed } from '../../errors/status-error.js'
import { joined, MAX_REQUEST_BYTES } from '../read-body.js'
import type { NodeRequest } from './node-request.js'

/** Most bytes that are read away once there is an answer: about what is on its way until the client sees it. */
const MAX_DISCARDED_BYTES = 8 * MAX_REQUEST_BYTES

/** The body of a request. */
export interface NodeBody {
  /** Reads all of it, or more than `most` bytes of it. */
  readonly read: (most: number) => Promise<Uint8Array>
  /**
   * Reads away what is left once there is an answer: as long as there is any, Node.js keeps a stream of HTTP/2 and
   * with it the session, and takes no next request over HTTP/1.1. A stream that sends more than that may have no
   * end: it is closed. Ends with what is read away.
   */
  readonly discardRest?: () => Promise<void>
}

/**
 * The body of a request; undefined where it has none. What a parser before us, such as `express.json()`, has made of
 * it, is written as JSON again, so that it is read as strictly as any other.
 */
export const bodyOf = (request: NodeRequest): NodeBody | undefined => {
  const { body, readableEnded } = request
  if (body !== undefined && readableEnded) return { read: async () => written(body) }
  if (hasNone(request)) return undefined
  // Its end, which was before, would be waited for without end.
  if (readableEnded) return { read: () => Promise.reject(new TypeError(READ_BEFORE)) }
  return { read: (most) => read(request, most), discardRest: () => discardRest(request) }
}

const READ_BEFORE = 'The body was read before nodeHandler, and is not in request.body'

/** HTTP/1.1 announces a body (RFC 9112, section 6.3). */
const hasNone = ({ httpVersionMajor, headers }: NodeRequest): boolean =>
  httpVersionMajor === 1 &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

const read = (request: NodeRequest, most: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = []
    let length = 0
    request.on('data', (piece) => {
      // Of a request with `setEncoding`.
      if (!ArrayBuffer.isView(piece)) return reject(new TypeError('A body must consist of bytes'))
      if (length > most) return
      pieces.push(piece)
      length += piece.length
      if (length <= most) return
      request.pause()
      resolve(joined(pieces))
    })
    request.on('end', () => resolve(joined(pieces)))
    request.on('error', reject)
    request.once('close', () => {
      // Of every request that was read, too, and an error takes longer to make than all the rest.
      if (!request.readableEnded) reject(new Error('The request ended early'))
    })
  })

const discardRest = async (request: NodeRequest): Promise<void> => {
  let left = MAX_DISCARDED_BYTES
  await new Promise<void>((resolve) => {
    request.once('close', resolve)
    request.on('data', ({ length }) => {
      left -= length
      if (left >= 0) return
      request.pause()
      request.stream?.close()
      resolve()
    })
    request.resume()
  })
}

/** What a parser has made of a body, as JSON. @throws ConnectError */
const written = (body: unknown): Uint8Array => {
  if (body instanceof Uint8Array) return body
  try {
    return new TextEncoder().encode(JSON.stringify(body))
  } catch (thrown) {
    // Lists nested too deeply; anything else is of the parser's making.
    if (!(thrown instanceof RangeError)) throw thrown
    throw malformed({ field: '', description: 'must be JSON' })
  }
}
