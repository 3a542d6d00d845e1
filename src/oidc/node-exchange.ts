import { bytesOf } from '../network/request.js'
import { invalid } from './refusal.js'

/** The members of a request of `node:http` or `node:http2` that `signInHandler` uses. */
export interface NodeRequest {
  readonly method?: string | undefined
  readonly url?: string | undefined
  /** The whole path, where a router has removed a prefix from `url`. */
  readonly originalUrl?: string | undefined
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The form as a parser in front of the handler left it. */
  readonly body?: unknown
  readonly readableEnded?: boolean | undefined
  [Symbol.asyncIterator](): AsyncIterator<Uint8Array>
}

/** The members of a response of `node:http` or `node:http2` that `signInHandler` uses. */
export interface NodeResponse {
  writeHead(status: number, headers: Record<string, string | string[]>): unknown
  end(body: Uint8Array): unknown
}

/** Most bytes of a form. */
const MAX_BYTES = 16 * 1024

/** A request of Node.js as one of fetch, without its body: a request of another handler keeps it. */
export const headOf = (request: NodeRequest): Request => {
  const { method = 'GET', originalUrl, url = '/' } = request
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers))
    if (value !== undefined && !name.startsWith(':')) headers.set(name, String(value))
  const host = request.headers[':authority'] ?? headers.get('host') ?? 'localhost'
  headers.set('host', String(host))
  const path = originalUrl ?? url
  return new Request(`http://${host}${path.startsWith('/') ? path : '/'}`, { method, headers })
}

/** The request with its body. */
export const withForm = async (head: Request, request: NodeRequest): Promise<Request> =>
  head.method === 'POST' ? new Request(head, { body: await formOf(request) }) : head

/** The body, read by us or by a parser; of one that is too long, a beginning that is too long as well. */
const formOf = async (request: NodeRequest): Promise<BodyInit> => {
  const { body, readableEnded } = request
  if (typeof body === 'string') return body
  if (body instanceof Uint8Array) return new Uint8Array(body)
  if (typeof body === 'object' && body !== null) {
    const fields = Object.entries(body).map(([name, value]) => [name, String(value)])
    return new URLSearchParams(fields).toString()
  }
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let length = 0
  if (readableEnded) return ''
  for await (const piece of request) {
    pieces.push(new Uint8Array(piece))
    length += piece.length
    if (length > MAX_BYTES) break
  }
  return new Blob(pieces)
}

/** The fields of a form. @throws Refused */
export const readForm = async (request: Request): Promise<URLSearchParams> => {
  const type = request.headers.get('content-type') ?? ''
  const chunks = await bytesOf(request, MAX_BYTES)
  if (chunks && /^application\/x-www-form-urlencoded\b/i.test(type))
    return new URLSearchParams(await new Blob([...chunks]).text())
  const description = `must be a form (application/x-www-form-urlencoded) of at most ${MAX_BYTES} bytes`
  throw invalid([{ field: 'body', description }])
}

export const sendTo = async (response: NodeResponse, answer: Response): Promise<void> => {
  const cookies = answer.headers.getSetCookie()
  const headers: Record<string, string | string[]> = Object.fromEntries(answer.headers)
  if (cookies.length > 0) headers['set-cookie'] = cookies
  const body = new Uint8Array(await answer.arrayBuffer())
  response.writeHead(answer.status, headers)
  response.end(body)
}
