import {
  concatBytes,
  type HttpRequest,
  type HttpResponse,
  isStream,
  pathAndQuery,
  type Service,
  type StreamResponse,
} from '../http.js'

/** A service as a function of fetch. */
export const serveFetch =
  ({ find, missing }: Service): ((request: Request) => Promise<Response>) =>
  async (request) => {
    refuseNodeRequest(request)
    const received = httpRequestOf(request)
    const { method, path } = received
    const handler = find(method, path) ?? missing(method, path)
    return responseOf(await handler(received), method)
  }

/** @throws TypeError for a request of Node.js, whose headers are not a `Headers` object */
const refuseNodeRequest = ({ headers }: Request): void => {
  if (typeof headers?.get !== 'function')
    throw new TypeError('fetchHandler needs a fetch Request; for node:http, use nodeHandler')
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
    body: (most) => readAll(request, most),
    pieces: () => piecesOf(request),
  }
}

const readAll = async (request: Request, most: number): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = []
  let length = 0
  for await (const piece of piecesOf(request)) {
    pieces.push(piece)
    length += piece.length
    if (length > most) break
  }
  return concatBytes(pieces)
}

/** Locks the body only when it is read, because another handler may use the body of other paths. */
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

const responseOf = (response: HttpResponse | StreamResponse, method: string): Response => {
  const { status, headers } = response
  if (isStream(response)) return new Response(streamOf(response.body), { status, headers })
  // Such responses have no body, not an empty one.
  if (method === 'HEAD' || status === 204 || status === 304) return new Response(null, { status, headers })
  const { body } = response
  return new Response(typeof body === 'string' ? body : new Uint8Array(body), { status, headers })
}

/** Pulls the next piece when the client has read the last. */
const streamOf = (pieces: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> => {
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      const { value, done } = await iterator.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => {
      await iterator.return?.()
    },
  })
}
