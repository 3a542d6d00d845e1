import {
  concatBytes,
  type HttpRequest,
  type HttpResponse,
  pathAndQuery,
  type Service,
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
  }
}

/** Locks the body only when it is read, because another handler may use the body of other paths. */
const readAll = async ({ body }: Request, most: number): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = []
  let length = 0
  const reader = body?.getReader()
  while (reader) {
    const { value, done } = await reader.read()
    if (done) break
    // A stream that a host makes may hold anything.
    if (!ArrayBuffer.isView(value)) throw new TypeError('A body must consist of bytes')
    pieces.push(value)
    length += value.length
    if (length <= most) continue
    // Not awaited: a source may take its time to stop.
    reader.cancel().catch(() => {})
    break
  }
  return concatBytes(pieces)
}

const responseOf = ({ status, headers, body }: HttpResponse, method: string): Response => {
  // Such responses have no body, not an empty one.
  if (method === 'HEAD' || status === 204 || status === 304)
    return new Response(null, { status, headers })
  return new Response(typeof body === 'string' ? body : new Uint8Array(body), { status, headers })
}
