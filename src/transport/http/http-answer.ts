import { Code } from '@connectrpc/connect'
import { httpStatusOf, type Status } from '../../index.js'
import { errorInfo } from '../errors/status-error.js'

/** The answer to an HTTP request. */
export interface HttpAnswer {
  readonly status: number
  readonly header: Iterable<readonly [name: string, value: string]>
  readonly body: string | Uint8Array
  /** Of gRPC alone. */
  readonly trailer?: Iterable<readonly [name: string, value: string]> | undefined
}

/** Headers of an answer that is JSON. */
export type AnswerHeader = Map<string, string>

/** An answer whose body is JSON; no cache stores it. */
export const jsonAnswer = (
  status: number,
  body: string,
  header: AnswerHeader = new Map(),
): HttpAnswer => {
  header
    .set('content-type', 'application/json')
    .set('cache-control', 'no-store')
    .set('content-length', String(byteLength(body)))
  return { status, header, body }
}

const utf8 = new TextEncoder()
const scratch = new Uint8Array(16 * 1024)

/** Length of a text in UTF-8; far cheaper than to encode it. */
const byteLength = (text: string): number => {
  const { read, written } = utf8.encodeInto(text, scratch)
  return read === text.length ? written : utf8.encode(text).length
}

/** An answer with the error body of the specification. Spec: Errors. */
export const errorAnswer = (
  body: Status,
  header?: AnswerHeader,
  status: number = httpStatusOf(body),
): HttpAnswer => jsonAnswer(status, JSON.stringify(body), header)

interface HttpError {
  readonly code: Code
  readonly message: string
  readonly reason: string
}

/** An error of HTTP itself, such as a method that a path does not have. */
const httpError = (
  status: number,
  { code, message, reason }: HttpError,
  header?: AnswerHeader,
): HttpAnswer => errorAnswer({ code, message, details: [errorInfo(reason)] }, header, status)

/** RFC 9110, section 15.5.6. What has GET, has HEAD. */
export const methodNotAllowed = (verbs: readonly string[]): HttpAnswer =>
  httpError(
    405,
    {
      code: Code.Unimplemented,
      message: 'The path has no such method',
      reason: 'METHOD_NOT_ALLOWED',
    },
    new Map([['allow', verbs.join(', ').replace('GET', 'GET, HEAD')]]),
  )

export const UNSUPPORTED_TYPE = 415

/** RFC 9110, section 15.5.16. */
export const unsupportedType = (accepted: string): HttpAnswer =>
  httpError(
    UNSUPPORTED_TYPE,
    {
      code: Code.InvalidArgument,
      message: 'The content type is not served here',
      reason: 'UNSUPPORTED_MEDIA_TYPE',
    },
    new Map([['accept', accepted]]),
  )

/** The answer where a path is not of the transport and nobody else is there to answer. */
export const notFound = (): HttpAnswer =>
  httpError(404, {
    code: Code.NotFound,
    message: 'There is nothing at this path',
    reason: 'PATH_NOT_FOUND',
  })
