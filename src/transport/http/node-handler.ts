import { readAllBytes, type UniversalServerResponse } from '@connectrpc/connect/protocol'
import type { Iam } from '../../index.js'
import { MAX_RESPONSE_BYTES } from '../json/json-response.js'
import type { HttpRequest } from '../json/transcode.js'
import { edgeOf, type TransportOptions } from '../options.js'
import { httpService, notFound } from './http-service.js'
import { MAX_REQUEST_BYTES } from './max-request-bytes.js'
import { GIVEN_ONCE, headersOf } from './node-headers.js'
import { bodyOf, type NodeRequest } from './node-request.js'

/** What is used of a response of `node:http` or `node:http2`. */
export interface NodeResponse {
  statusCode: number
  readonly writableEnded: boolean
  setHeader(name: string, value: string): unknown
  appendHeader?(name: string, value: string): unknown
  addTrailers(trailers: Record<string, string>): void
  write(bytes: Uint8Array): unknown
  end(bytes: Uint8Array): unknown
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
  const once = [...GIVEN_ONCE, edgeOf(options).organizationHeader.toLowerCase()]
  return (request, response, next) => {
    refuseFetchRequest(request)
    const { bytes, discardRest } = bodyOf(request)
    const head = { ...headOf(request, response), header: headersOf(request, once) }
    const received: HttpRequest = { ...head, body: bytes }
    const answer = service(received)
    if (answer === undefined && next) return next()
    Promise.resolve(answer ?? notFound())
      .then((found) => send(found, { request, response, discardRest, signal: received.signal }))
      // Nobody is left to be answered: calls answer whatever fails within them.
      .catch(() => response.destroy())
  }
}

/** @throws TypeError for a `Request` of fetch, whose headers are no plain object */
const refuseFetchRequest = ({ headers }: NodeRequest): void => {
  if (typeof headers['get'] === 'function')
    throw new TypeError('nodeHandler takes a request of node:http; for fetch, use fetchHandler')
}

const headOf = (
  request: NodeRequest,
  response: NodeResponse,
): Omit<HttpRequest, 'body' | 'header'> => {
  const aborted = new AbortController()
  response.once('close', () => {
    if (!response.writableEnded) aborted.abort()
  })
  return {
    httpVersion: request.httpVersion,
    method: request.method ?? '',
    // Nothing depends on the authority, which is the client's to say.
    url: `http://localhost${targetOf(request)}`,
    signal: aborted.signal,
  }
}

/** A URL as a whole, which HTTP/1.1 has for proxies (RFC 9112, section 3.2.2); up to its path. */
const ORIGIN = /^https?:\/\/[\w.:[\]-]+/i

/**
 * Path and query as they were sent, or `/`, where nothing of ours is, when `new URL` would lead to
 * another path, as it does with `..` and a backslash: a host may guard its paths before us.
 */
const targetOf = ({ url = '' }: NodeRequest): string => {
  // Node.js has what is not ASCII as Latin-1, which it seldom is: nobody can decode this instead.
  const target = url.replace(ORIGIN, '').replaceAll(/[^!-~]|#/g, '%-')
  const [path] = target.split('?')
  const isAsSent = target.startsWith('/') && new URL(`http://localhost${target}`).pathname === path
  return isAsSent ? target : '/'
}

interface Exchange {
  readonly request: NodeRequest
  readonly response: NodeResponse
  readonly discardRest: () => Promise<void>
  /** Aborted once nobody waits for an answer any more. */
  readonly signal: AbortSignal
}

/** How long a client may take to see its answer and stop sending, in milliseconds. */
const LONGEST_WAIT = 2_000

/**
 * The answer of a call is in memory as a whole, so there is nothing to wait for in between. Node.js closes
 * a connection with the end of its last answer; a client that is still sending then may lose the answer.
 */
const send = async (
  { status, header, body, trailer }: UniversalServerResponse,
  { request, response, discardRest, signal }: Exchange,
): Promise<void> => {
  const bytes = body ? await readAllBytes(body, MAX_RESPONSE_BYTES) : new Uint8Array()
  if (signal.aborted) return
  response.statusCode = status
  for (const [name, value] of header ?? []) {
    // What a middleware in front of us has said that its answers vary by, such as `Origin`, stays.
    if (name === 'vary' && response.appendHeader) response.appendHeader(name, value)
    else response.setHeader(name, value)
  }
  if (trailer) response.addTrailers(Object.fromEntries(trailer))
  if (isEndless(request)) {
    response.setHeader('connection', 'close')
    response.write(bytes)
    await Promise.race([discardRest(), new Promise((resolve) => setTimeout(resolve, LONGEST_WAIT))])
    response.end(new Uint8Array())
  } else {
    response.end(bytes)
    await discardRest()
  }
}

/** Whether more is to come than Node.js should read away before it takes the next request. */
const isEndless = ({ httpVersionMajor, complete, headers }: NodeRequest): boolean => {
  const isShort = Number(headers['content-length']) <= MAX_REQUEST_BYTES
  return httpVersionMajor === 1 && !complete && !isShort
}
