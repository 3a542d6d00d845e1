import { concatBytes, MAX_REQUEST_BYTES } from '../http.js'

/** The members of a request of `node:http` or `node:http2` that the transport uses. */
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
  on(event: 'data', listener: (piece: Uint8Array) => void): unknown
  on(event: 'end', listener: () => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  once(event: 'close', listener: () => void): unknown
  resume(): unknown
  pause(): unknown
  /** The connection; only HTTP/1.1 has one for all its requests. */
  readonly socket?: object | undefined
  /** Only of HTTP/2. */
  readonly stream?: { readonly destroyed?: boolean; close(): void }
  /** The body as a parser in front of the transport left it. */
  readonly body?: unknown
}

/** Most bytes that are discarded after the response: about as many as are on their way until the client sees it. */
const MAX_DISCARDED_BYTES = 8 * MAX_REQUEST_BYTES

/** The body of a request. */
export interface NodeBody {
  /** Reads all of it, or more than `most` bytes of it. */
  readonly read: (most: number) => Promise<Uint8Array>
  /**
   * Reads the rest away after the response. With a rest, Node.js keeps a stream of HTTP/2 and its session, and takes no
   * further request over HTTP/1.1. A stream that sends more than the bound may never end, and is closed.
   */
  readonly discardRest?: () => Promise<void>
}

/**
 * The body of a request; undefined if it has none. A body that a parser in front of us has read, such as
 * `express.json()`, is written as JSON again, so that it is read as strictly as any other.
 */
export const bodyOf = (request: NodeRequest): NodeBody | undefined => {
  const { body, readableEnded } = request
  if (body !== undefined && readableEnded) return { read: async () => written(body) }
  if (hasNoBody(request)) return undefined
  // Its end has passed, so waiting for it would never end.
  if (readableEnded) return { read: () => Promise.reject(new TypeError(READ_BEFORE)) }
  return { read: (most) => read(request, most), discardRest: () => discardRest(request) }
}

const utf8 = new TextEncoder()

const READ_BEFORE = 'The body was read before nodeHandler, and is not in request.body'

/** HTTP/1.1 announces a body (RFC 9112, section 6.3). */
const hasNoBody = ({ httpVersionMajor, headers }: NodeRequest): boolean =>
  httpVersionMajor === 1 &&
  headers['content-length'] === undefined &&
  headers['transfer-encoding'] === undefined

const read = (request: NodeRequest, most: number): Promise<Uint8Array> =>
  new Promise((resolve, reject) => {
    const pieces: Uint8Array[] = []
    let length = 0
    request.on('data', (piece) => {
      // A request with `setEncoding` gives texts.
      if (!ArrayBuffer.isView(piece)) return reject(new TypeError('A body must consist of bytes'))
      if (length > most) return
      pieces.push(piece)
      length += piece.length
      if (length <= most) return
      request.pause()
      resolve(concatBytes(pieces))
    })
    request.on('end', () => resolve(concatBytes(pieces)))
    request.on('error', reject)
    request.once('close', () => {
      // Every request that was read closes too, and making an error takes longer than all the rest.
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

/** The body that a parser has read, as JSON; as JSON that has no end where it is nested too deeply. */
const written = (body: unknown): Uint8Array => {
  if (body instanceof Uint8Array) return body
  try {
    return utf8.encode(JSON.stringify(body))
  } catch (thrown) {
    // Anything else is a fault of the parser.
    if (!(thrown instanceof RangeError)) throw thrown
    return utf8.encode('{')
  }
}
