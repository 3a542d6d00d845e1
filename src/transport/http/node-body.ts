import { malformed } from '../errors/status-error.js'
import type { NodeRequest } from './node-request.js'
import { MAX_REQUEST_BYTES } from './read-body.js'

/** Most bytes that are read away once there is an answer: about what is on its way until the client sees it. */
const MAX_DISCARDED_BYTES = 8 * MAX_REQUEST_BYTES

/** The body of a request. */
export interface NodeBody {
  readonly bytes: AsyncIterable<Uint8Array>
  /**
   * Reads away what nobody asked for once there is an answer: as long as any of it is left, Node.js
   * keeps a stream of HTTP/2 and with it the session, and takes no next request over HTTP/1.1. What
   * is longer than any request that is worth it, may have no end: its stream is closed. Ends with what
   * is read away.
   */
  readonly discardRest: () => Promise<void>
}

/**
 * The body as bytes. A parser in front of us, such as `express.json()`, has taken them away and left
 * what it made of them: that is written down again, so that it is read as strictly as any other.
 */
export const bodyOf = (request: NodeRequest): NodeBody => {
  const { body, readableEnded } = request
  if (body !== undefined && readableEnded)
    return { bytes: written(body), discardRest: async () => {} }
  const bytes = request.iterator({ destroyOnReturn: false })
  return {
    bytes,
    discardRest: async () => {
      await bytes.return?.()
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
    },
  }
}

/** Only once it is read: what a parser makes for a path of the host may not be JSON. @throws ConnectError */
async function* written(body: unknown): AsyncIterable<Uint8Array> {
  if (body instanceof Uint8Array) return yield body
  let text: string
  try {
    text = JSON.stringify(body)
  } catch (thrown) {
    // Lists nested too deeply; anything else is of the parser's making.
    if (!(thrown instanceof RangeError)) throw thrown
    throw malformed({ field: '', description: 'must be JSON' })
  }
  yield new TextEncoder().encode(text)
}
