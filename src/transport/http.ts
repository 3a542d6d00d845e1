/** Headers of a request. */
export interface HeaderReader {
  get(name: string): string | null
}

/** A request, as every server of the transport makes it. */
export interface HttpRequest {
  readonly httpVersion: string
  readonly method: string
  /** As it was sent, without the query. */
  readonly path: string
  /** The text after the question mark; empty without one. */
  readonly query: string
  readonly header: HeaderReader
  /** All headers, for the host. */
  readonly headers: () => Headers
  /** Aborts once the client has left. */
  readonly signal: AbortSignal
  /** Reads the whole body, or more than `most` bytes of it; undefined if there is no body. */
  readonly body: ((most: number) => Promise<Uint8Array>) | undefined
}

/** Headers of a response, by their names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string>>

export interface HttpResponse {
  readonly status: number
  readonly headers: ResponseHeaders
  readonly body: string | Uint8Array
  /** Only gRPC has trailers. */
  readonly trailers?: ResponseHeaders | undefined
}

/** Answers a request. */
export type Handler = (request: HttpRequest) => Promise<HttpResponse>

/** The handler of a method and a path; undefined if the path is not served. */
export type Route = (method: string, path: string) => Handler | undefined

/** The routes and settings of a server. */
export interface Service {
  readonly find: Route
  /** The handler of an unknown path, if no other handler follows. */
  readonly missing: (method: string, path: string) => Handler
  /** Headers that a request must have only once, in lower case. */
  readonly singleHeaders: readonly string[]
  /** Called with the exception if a response could not be sent. */
  readonly onUnsent: (thrown: unknown, called: string, header: HeaderReader) => void
}

/** Most bytes of one request. */
export const MAX_REQUEST_BYTES = 1024 * 1024

/** A response whose body is JSON; no cache stores it. */
export const jsonResponse = (
  status: number,
  body: string,
  headers: ResponseHeaders = {},
): HttpResponse => ({
  status,
  headers: {
    ...headers,
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': String(byteLength(body)),
  },
  body,
})

const utf8 = new TextEncoder()
const scratch = new Uint8Array(16 * 1024)

/** Length of a text in UTF-8. Encoding into a buffer that exists costs far less than a new one. */
const byteLength = (text: string): number => {
  const { read, written } = utf8.encodeInto(text, scratch)
  return read === text.length ? written : utf8.encode(text).length
}

/** Splits a target, such as `/v1/projects?page_size=1`. */
export const pathAndQuery = (target: string): Pick<HttpRequest, 'path' | 'query'> => {
  const mark = target.indexOf('?')
  return mark < 0
    ? { path: target, query: '' }
    : { path: target.slice(0, mark), query: target.slice(mark + 1) }
}

/** JSON with any parameters (RFC 9110, section 5.6.6), but in no charset other than UTF-8. */
const JSON_TYPE = /^application\/json[ \t]*(;|$)(?!.*charset=(?!"?utf-?8"?[ \t]*(;|$)))/i

/** Whether the body of a request is JSON, by its content type. */
export const isJson = (header: HeaderReader): boolean => {
  const type = header.get('content-type') ?? ''
  return type === 'application/json' || JSON_TYPE.test(type)
}

/** The types of forms, which other sites can make a browser post. */
const FORM = /^(application\/x-www-form-urlencoded|multipart\/form-data|text\/plain)[ \t]*(;|$)/i

/** Whether no HTML form could have made the request, by its content type. */
export const isNoForm = (header: HeaderReader): boolean =>
  !FORM.test(header.get('content-type')?.trim() ?? '')

/** The coding `identity` changes nothing. Names of codings ignore case (RFC 9110, section 8.4.1). */
const NO_CODING = /^(identity)?$/i

/** Whether the body of a request is compressed. */
export const isEncoded = (header: HeaderReader): boolean =>
  !NO_CODING.test(header.get('content-encoding') ?? '')

export const concatBytes = (pieces: readonly Uint8Array[]): Uint8Array => {
  const [first] = pieces
  if (first && pieces.length === 1) return first
  const bytes = new Uint8Array(pieces.reduce((length, piece) => length + piece.length, 0))
  let start = 0
  for (const piece of pieces) {
    bytes.set(piece, start)
    start += piece.length
  }
  return bytes
}
