import { malformed } from '../errors/status-error.js'
import { MAX_REQUEST_BYTES } from './max-request-bytes.js'

/** Most bytes that are read away once there is an answer: about what is on its way until the client sees it. */
const MAX_DISCARDED_BYTES = 8 * MAX_REQUEST_BYTES

/** What is used of a request of `node:http` or `node:http2`. */
export interface NodeRequest {
  readonly httpVersion: string
  readonly httpVersionMajor: number
  readonly method?: string | undefined
  readonly url?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Names and values in turn, as they were sent. */
  readonly rawHeaders?: readonly string[] | undefined
  readonly complete: boolean
  readonly readableEnded: boolean
  iterator(options: { readonly destroyOnReturn: false }): AsyncIterableIterator<Uint8Array>
  on(event: 'data', listener: (piece: Uint8Array) => void): unknown
  once(event: 'close', listener: () => void): unknown
  resume(): unknown
  pause(): unknown
  /** Of HTTP/2 alone. */
  readonly stream?: { close(): void }
  /** What a parser in front of the transport made of the bytes. */
  readonly body?: unknown
}

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
