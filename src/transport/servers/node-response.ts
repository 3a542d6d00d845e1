import { type HttpResponse, MAX_REQUEST_BYTES, type ResponseHeaders } from '../http.js'
import type { NodeBody, NodeRequest } from './node-request.js'

/** The members of a response of `node:http` or `node:http2` that the transport uses. */
export interface NodeResponse {
  readonly writableEnded: boolean
  /** Only of HTTP/1.1. */
  readonly destroyed?: boolean
  getHeader(name: string): unknown
  /** Only the console needs it. */
  setHeader?(name: string, value: string): unknown
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown
  addTrailers(trailers: Readonly<Record<string, string>>): void
  write(body: string | Uint8Array): unknown
  end(body: string | Uint8Array, encoding: 'utf8' | 'latin1'): unknown
  destroy(): unknown
  once(event: 'close', listener: () => void): unknown
}

/** A request, and where its response goes. */
interface Exchange {
  readonly request: NodeRequest
  readonly response: NodeResponse
  readonly body: NodeBody | undefined
  readonly signal: AbortSignal
}

/** Connections that close with the response that is being sent. */
const closing = new WeakSet<object>()

/** Whether a request came behind one that closes the connection: no response to it would arrive. */
export const isBehindLast = ({ httpVersionMajor, socket }: NodeRequest): boolean =>
  httpVersionMajor === 1 && socket !== undefined && closing.has(socket)

/** How long a client may take to see its response and stop sending, in milliseconds. */
const LONGEST_WAIT = 2_000

/** Sends a response, unless the client has left. Ends at once unless a rest of the request is to be read away. */
export const send = (answer: HttpResponse, exchange: Exchange): Promise<void> | undefined => {
  const { request, response, body: received, signal } = exchange
  if (signal.aborted) return undefined
  const { status, headers, trailers } = answer
  // The response to HEAD has the length of its body, and no body.
  const body = request.method === 'HEAD' ? '' : answer.body
  const head = headOf(headers, response)
  if (trailers) response.addTrailers(trailers)
  if (isEndless(request)) {
    if (request.socket) closing.add(request.socket)
    response.writeHead(status, { ...head, connection: 'close' })
    response.write(body)
    return endLate(exchange)
  }
  response.writeHead(status, head)
  response.end(body, isAscii(headers, body) ? 'latin1' : 'utf8')
  return request.readableEnded ? undefined : received?.discardRest?.()
}

/**
 * Node.js closes a connection with the end of its last response; a client that is still sending may then lose it. So
 * the end comes once the rest of the request was read away.
 */
const endLate = async ({ response, body }: Exchange): Promise<void> => {
  await Promise.race([
    body?.discardRest?.(),
    new Promise((resolve) => setTimeout(resolve, LONGEST_WAIT)),
  ])
  response.end('', 'utf8')
}

/** Whether every character takes one byte: Node.js then copies the text in a fraction of the time. */
const isAscii = (headers: ResponseHeaders, body: string | Uint8Array): boolean =>
  headers['content-length'] === String(body.length)

/** A middleware in front of us may vary its responses too, for example by `Origin`. */
const headOf = (headers: ResponseHeaders, response: NodeResponse): ResponseHeaders => {
  const varied = headers['vary'] && response.getHeader('vary')
  return varied ? { ...headers, vary: `${varied}, ${headers['vary']}` } : headers
}

/** Whether more is to come than Node.js should read away before it takes the next request. */
const isEndless = ({ httpVersionMajor, complete, headers }: NodeRequest): boolean =>
  httpVersionMajor === 1 && !complete && !(Number(headers['content-length']) <= MAX_REQUEST_BYTES)
