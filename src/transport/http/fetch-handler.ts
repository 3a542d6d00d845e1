import { universalServerResponseToFetch } from '@connectrpc/connect/protocol'
import type { Iam } from '../../index.js'
import type { TransportOptions } from '../options.js'
import { isStream } from './http-answer.js'
import { type HttpRequest, pathAndQuery } from './http-request.js'
import { httpService } from './http-service.js'
import { joined } from './read-body.js'

/**
 * The transport for servers in the style of `fetch` (workers, Bun, Deno, Hono): JSON on REST paths
 * and gRPC-web. gRPC itself is answered with 415: it needs trailers, which a `Response` has not.
 *
 * @throws TypeError when an option is missing, or `iam` is not what `createIam` returns; the handler rejects with one
 *   when it is given a request of Node.js
 */
export const fetchHandler = (
  iam: Iam,
  options: TransportOptions,
): ((request: Request) => Promise<Response>) => {
  const service = httpService(iam, options)
  return async (request) => {
    refuseNodeRequest(request)
    const received = httpRequestOf(request)
    const { method, path } = received
    const answer = service.find(method, path) ?? service.missing(method, path)
    const answered = await answer(received)
    const { status, header } = answered
    if (isStream(answered)) {
      const { body } = answered
      return universalServerResponseToFetch({ status, header: new Headers(header), body })
    }
    const { body } = answered
    // What HEAD is answered has no body, not an empty one.
    if (method === 'HEAD') return new Response(null, { status, headers: header })
    const content = typeof body === 'string' ? body : new Uint8Array(body)
    return new Response(content, { status, headers: header })
  }
}

/** @throws TypeError for a request of Node.js, whose headers are no `Headers` */
const refuseNodeRequest = ({ headers }: Request): void => {
  if (typeof headers?.get !== 'function')
    throw new TypeError('fetchHandler takes a Request of fetch; for node:http, use nodeHandler')
}

const httpRequestOf = (request: Request): HttpRequest => {
  const { method, url, headers: header, signal } = request
  const [target = ''] = url.slice(url.indexOf('/', url.indexOf('//') + 2)).split('#')
  return {
    httpVersion: '',
    method,
    ...pathAndQuery(target),
    header,
    headers: () => header,
    signal,
    body: (most) => wholeOf(request, most),
    pieces: () => piecesOf(request),
  }
}

const wholeOf = async (request: Request, most: number): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of piecesOf(request)) {
    pieces.push(piece)
    length += piece.length
    if (length > most) break
  }
  return joined(pieces)
}

/** Takes hold of the body once it is read: it may be in use where a path is not of the transport. */
async function* piecesOf({ body }: Request): AsyncIterable<Uint8Array> {
  const reader = body?.getReader()
  while (reader) {
    const { value, done } = await reader.read()
    if (done) return
    // A stream that a host makes may hold anything.
    if (!ArrayBuffer.isView(value)) throw new TypeError('A body must consist of bytes')
    yield value
  }
}
