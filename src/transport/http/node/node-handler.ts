import type { Iam } from '../../../index.js'
import { resolveOptions, type TransportOptions } from '../../options.js'
import type { HttpAnswer } from '../http-answer.js'
import { pathAndQuery } from '../http-request.js'
import { httpService } from '../http-service.js'
import { MAX_REQUEST_BYTES } from '../read-body.js'
import { bodyOf, type NodeBody } from './node-body.js'
import { GIVEN_ONCE, headerReader, headersOf } from './node-headers.js'
import type { NodeRequest } from './node-request.js'

/** What is used of a response of `node:http` or `node:http2`. */
export interface NodeResponse {
  readonly writableEnded: boolean
  getHeader(name: string): unknown
  writeHead(status: number, headers: Record<string, string>): unknown
  addTrailers(trailers: Record<string, string>): void
  write(body: string | Uint8Array): unknown
  end(body: string | Uint8Array): unknown
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

/** Listens to requests of `node:http` and `node:http2`, and is a middleware of Express and its kind. */
export type NodeHandler = (request: NodeRequest, response: NodeResponse, next?: () => void) => void

/**
 * The transport for servers of Node.js: JSON on REST paths, gRPC-web, and over HTTP/2 gRPC. Paths
 * that are not of the transport go to `next`, or are answered with 404.
 *
 * @throws TypeError when an option is missing, or `iam` is not what `createIam` returns; the handler throws one
 *   when it is given a `Request` of fetch
 */
export const nodeHandler = (iam: Iam, options: TransportOptions): NodeHandler => {
  const service = httpService(iam, options)
  const once = [...GIVEN_ONCE, resolveOptions(options).organizationHeader.toLowerCase()]
  return (request, response, next) => {
    refuseFetchRequest(request)
    const { method = '', httpVersion } = request
    const { path, query } = targetOf(request)
    const found = service.find(method, path)
    if (!found && next) return next()
    const answer = found ?? service.missing(method, path)
    const signal = signalOf(response)
    const body = bodyOf(request)
    const header = headerReader(request, once)
    const headers = () => headersOf(request, header)
    const received = { httpVersion, method, path, query, header, headers, signal, body: body?.read }
    answer(received)
      .then((answered) => send(answered, { request, response, body, signal }))
      // No answer is possible any more: calls answer whatever fails within them.
      .catch(() => response.destroy())
  }
}

/** @throws TypeError for a `Request` of fetch, whose headers are no plain object */
const refuseFetchRequest = ({ headers }: NodeRequest): void => {
  if (typeof headers['get'] === 'function')
    throw new TypeError('nodeHandler takes a request of node:http; for fetch, use fetchHandler')
}

/** Aborts once the client has left. */
const signalOf = (response: NodeResponse): AbortSignal => {
  const aborted = new AbortController()
  response.once('close', () => {
    if (!response.writableEnded) aborted.abort()
  })
  return aborted.signal
}

/** A URL as a whole, which HTTP/1.1 has for proxies (RFC 9112, section 3.2.2); up to its path. */
const ORIGIN = /^https?:\/\/[\w.:[\]-]+/i

/** Node.js has bytes that are not ASCII as Latin-1, which they seldom are: what replaces them cannot be decoded. */
const NOT_DECODABLE = /[^!-~]|#/g

/** What a browser would have encoded, or have taken for another path, as it does with `..` and a backslash. */
const NOT_AS_SENT = /["<>\\^`{}]|\/(\.|%2e){1,2}(\/|$)/i

/** Path and query as they were sent; `/`, where nothing of ours is, when a host that guards its paths may see another. */
const targetOf = ({ url = '' }: NodeRequest) => {
  const origin = url.startsWith('/') ? undefined : ORIGIN.exec(url)
  const target = pathAndQuery(url.slice(origin?.[0].length ?? 0).replaceAll(NOT_DECODABLE, '%-'))
  const isAsSent = target.path.startsWith('/') && !NOT_AS_SENT.test(target.path)
  return isAsSent ? target : { path: '/', query: '' }
}

interface Exchange {
  readonly request: NodeRequest
  readonly response: NodeResponse
  readonly body: NodeBody | undefined
  readonly signal: AbortSignal
}

/** How long a client may take to see its answer and stop sending, in milliseconds. */
const LONGEST_WAIT = 2_000

/**
 * The answer of a call is in memory as a whole, so there is nothing to wait for in between. Node.js closes
 * a connection with the end of its last answer; a client that is still sending then may lose the answer.
 */
const send = async (
  { status, header, body, trailer }: HttpAnswer,
  { request, response, body: received, signal }: Exchange,
): Promise<void> => {
  if (signal.aborted) return
  const head = headOf(header, response)
  if (trailer) response.addTrailers(Object.fromEntries(trailer))
  if (isEndless(request)) {
    response.writeHead(status, { ...head, connection: 'close' })
    response.write(body)
    await Promise.race([
      received?.discardRest?.(),
      new Promise((resolve) => setTimeout(resolve, LONGEST_WAIT)),
    ])
    response.end('')
  } else {
    response.writeHead(status, head)
    response.end(body)
    if (!request.readableEnded) await received?.discardRest?.()
  }
}

/** All headers at once, which costs Node.js half of what one after the other does. */
const headOf = (header: HttpAnswer['header'], response: NodeResponse): Record<string, string> => {
  const head: Record<string, string> = {}
  for (const [name, value] of header) head[name] = value
  // What a middleware in front of us has said that its answers vary by, such as `Origin`, stays.
  const varied = head['vary'] && response.getHeader('vary')
  if (varied) head['vary'] = `${varied}, ${head['vary']}`
  return head
}

/** Whether more is to come than Node.js should read away before it takes the next request. */
const isEndless = ({ httpVersionMajor, complete, headers }: NodeRequest): boolean =>
  httpVersionMajor === 1 && !complete && !(Number(headers['content-length']) <= MAX_REQUEST_BYTES)
