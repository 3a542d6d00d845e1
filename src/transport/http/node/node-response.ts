import type { AnswerHeader, HttpAnswer } from '../http-answer.js'
import { MAX_REQUEST_BYTES } from '../read-body.js'
import type { NodeBody } from './node-body.js'
import type { NodeRequest } from './node-request.js'

/** What is used of a response of `node:http` or `node:http2`. */
export interface NodeResponse {
  readonly writableEnded: boolean
  /** Of HTTP/1.1 alone. */
  readonly destroyed?: boolean
  getHeader(name: string): unknown
  writeHead(status: number, headers: Readonly<Record<string, string>>): unknown
  addTrailers(trailers: Readonly<Record<string, string>>): void
  write(body: string | Uint8Array): unknown
  end(body: string | Uint8Array): unknown
  destroy(): unknown
  once(event: 'close' | 'drain', listener: () => void): unknown
}

/** A request, and where its answer goes. */
interface Exchange {
  readonly request: NodeRequest
  readonly response: NodeResponse
  readonly body: NodeBody | undefined
  readonly signal: AbortSignal
}

/** How long a client may take to see its answer and stop sending, in milliseconds. */
const LONGEST_WAIT = 2_000

/**
 * But for a stream, an answer is in memory as a whole, so there is nothing to wait for in between. Node.js closes
 * a connection with the end of its last answer; a client that is still sending then may lose the answer.
 */
export const send = async (
  answer: HttpAnswer,
  { request, response, body: received, signal }: Exchange,
): Promise<void> => {
  if (signal.aborted) return
  const { status, body, trailer } = answer
  const head = headOf(answer, response)
  if (trailer) response.addTrailers(trailer)
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

const headOf = ({ header }: HttpAnswer, response: NodeResponse): AnswerHeader => {
  // What a middleware in front of us has said that its answers vary by, such as `Origin`, stays.
  const varied = header['vary'] && response.getHeader('vary')
  return varied ? { ...header, vary: `${varied}, ${header['vary']}` } : header
}

/** Whether more is to come than Node.js should read away before it takes the next request. */
const isEndless = ({ httpVersionMajor, complete, headers }: NodeRequest): boolean =>
  httpVersionMajor === 1 && !complete && !(Number(headers['content-length']) <= MAX_REQUEST_BYTES)
