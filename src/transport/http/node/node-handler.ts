import type { Iam } from '../../../index.js'
import { reportFailure } from '../../errors/unexpected.js'
import { resolveOptions, type TransportOptions } from '../../options.js'
import { isStream } from '../http-answer.js'
import { pathAndQuery } from '../http-request.js'
import { httpService } from '../http-service.js'
import { bodyOf } from './node-body.js'
import { GIVEN_ONCE, headerReader, headersOf } from './node-headers.js'
import type { NodeRequest } from './node-request.js'
import { type NodeResponse, send } from './node-response.js'
import { piecesOf, sendStream } from './node-stream.js'

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
  const resolved = resolveOptions(options)
  const once = [...GIVEN_ONCE, resolved.organizationHeader.toLowerCase()]
  return (request, response, next) => {
    refuseFetchRequest(request)
    const { method = '', httpVersion } = request
    const { path, query } = targetOf(request)
    const found = service.find(method, path)
    if (!found && next) return next()
    if (hasLeft(request, response)) return
    const answer = found ?? service.missing(method, path)
    const signal = signalOf(response)
    const body = bodyOf(request)
    const header = headerReader(request, once)
    const headers = () => headersOf(request, header)
    const pieces = () => piecesOf(request)
    const received = {
      httpVersion,
      method,
      path,
      query,
      header,
      headers,
      signal,
      body: body?.read,
      pieces,
    }
    answer(received)
      .then((answered) => {
        const exchange = { request, response, body, signal }
        return isStream(answered) ? sendStream(answered, exchange) : send(answered, exchange)
      })
      // No answer is possible any more: calls answer whatever fails within them. What is left are middlewares.
      .catch((thrown) => {
        if (!signal.aborted) reportFailure(resolved, [`${method} ${path}`, header], thrown)
        response.destroy()
      })
  }
}

/** @throws TypeError for a `Request` of fetch, whose headers are no plain object */
const refuseFetchRequest = ({ headers }: NodeRequest): void => {
  if (typeof headers['get'] === 'function')
    throw new TypeError('nodeHandler takes a request of node:http; for fetch, use fetchHandler')
}

/** Whether the client left while a middleware took its time: no event will tell. */
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
