import { type HeaderReader, type HttpRequest, pathAndQuery, type Service } from '../http.js'
import { bodyOf, type NodeRequest } from './node-request.js'
import { isBehindLast, type NodeResponse, send } from './node-response.js'

/** Listens to requests of `node:http` and `node:http2`, and is a middleware of Express and its kind. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse, next?: () => void) => void

/** A service as a listener of Node.js. */
export const serveNode =
  ({ find, missing, singleHeaders, onUnsent }: Service): NodeHandler =>
  (request, response, next) => {
    refuseFetchRequest(request)
    const { method = '', httpVersion } = request
    const { path, query } = targetOf(request)
    const found = find(method, path)
    if (!found && next) return next()
    if (hasLeft(request, response) || isBehindLast(request)) return
    const handler = found ?? missing(method, path)
    const signal = signalOf(response)
    const body = bodyOf(request)
    const header = headerReader(request, singleHeaders)
    const received: HttpRequest = {
      httpVersion,
      method,
      path,
      query,
      header,
      headers: () => headersOf(request, header),
      signal,
      body: body?.read,
    }
    handler(received)
      .then((answer) => send(answer, { request, response, body, signal }))
      // Handlers respond to every failure of a call, so this is a middleware that has responded already.
      .catch((thrown) => {
        if (!signal.aborted) onUnsent(thrown, `${method} ${path}`, header)
        response.destroy()
      })
  }

/** @throws TypeError for a `Request` of fetch, whose headers are not a plain object */
const refuseFetchRequest = ({ headers }: NodeRequest): void => {
  if (typeof headers['get'] === 'function')
    throw new TypeError('nodeHandler needs a request of node:http; for fetch, use fetchHandler')
}

/** Whether the client has disconnected before the handler ran, for which no event comes. */
const hasLeft = ({ stream }: NodeRequest, { destroyed }: NodeResponse): boolean =>
  !!(destroyed || stream?.destroyed)

/** Aborts once the client has left. */
const signalOf = (response: NodeResponse): AbortSignal => {
  const aborted = new AbortController()
  response.once('close', () => {
    if (!response.writableEnded) aborted.abort()
  })
  return aborted.signal
}

/** Scheme and host of a URL as a whole, which HTTP/1.1 has for proxies (RFC 9112, section 3.2.2). */
const ORIGIN = /^https?:\/\/[\w.:[\]-]+/i

/** Node.js reads bytes that are not ASCII as Latin-1, which they seldom are. Their replacement cannot be decoded. */
const NOT_DECODABLE = /[^!-~]|#/g

/** Characters that a browser encodes, and those that it resolves to another path, such as `..` and a backslash. */
const NOT_AS_SENT = /["<>\\^`{}]|\/(\.|%2e){1,2}(\/|$)/i

/**
 * Path and query as they were sent. The path is `/`, where nothing is served, if a host that guards paths may see
 * another one.
 */
const targetOf = ({ url = '' }: NodeRequest): Pick<HttpRequest, 'path' | 'query'> => {
  const origin = url.startsWith('/') ? undefined : ORIGIN.exec(url)
  const target = pathAndQuery(url.slice(origin?.[0].length ?? 0).replaceAll(NOT_DECODABLE, '%-'))
  const isAsSent = target.path.startsWith('/') && !NOT_AS_SENT.test(target.path)
  return isAsSent ? target : { path: '/', query: '' }
}

/** The headers of a request, with every value of those that must be there only `once`. */
const headerReader = (request: NodeRequest, once: readonly string[]): HeaderReader => ({
  get: (path) => {
    const name = path.toLowerCase()
    const value = request.headers[name]
    if (value === undefined || value === null) return null
    if (once.includes(name)) return [value, ...droppedOf(request, name)].join(', ')
    // A middleware of the host may have put anything there.
    return Array.isArray(value) ? value.join(', ') : String(value)
  },
})

/** A copy of all headers. */
const headersOf = ({ headers }: NodeRequest, header: HeaderReader): Headers => {
  const result = new Headers()
  // HTTP/2 has the method and the path among them.
  for (const name in headers) {
    const value = name.startsWith(':') ? null : header.get(name)
    if (value !== null) result.set(name, value)
  }
  return result
}

/**
 * Of some headers that come twice, such as `If-Match` over HTTP/2, Node.js keeps only the first. A value that a
 * middleware of the host has put in their place stays as it is.
 */
const droppedOf = ({ headers, rawHeaders = [] }: NodeRequest, name: string): readonly string[] => {
  const [first, ...others] = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === name,
  )
  return headers[name] === first ? others : []
}
