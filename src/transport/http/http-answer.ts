import { Code } from '@connectrpc/connect'
import { httpStatusOf, type Status } from '../../index.js'
import { transportStatus } from '../errors/status-error.js'

/** The answer to an HTTP request. */
export interface HttpAnswer {
  readonly status: number
  readonly header: AnswerHeader
  readonly body: string | Uint8Array
  /** Of gRPC alone. */
  readonly trailer?: AnswerHeader | undefined
}

/** An answer that begins before it is known as a whole. */
export interface StreamAnswer extends Pick<HttpAnswer, 'status' | 'header'> {
  readonly body: AsyncIterable<Uint8Array>
  /** Of gRPC alone; known once the body has ended. */
  readonly trailer: Headers | undefined
}

export const isStream = (answer: HttpAnswer | StreamAnswer): answer is StreamAnswer =>
  typeof answer.body !== 'string' && Symbol.asyncIterator in answer.body

/** Headers of an answer, by their names in lower case. */
export type AnswerHeader = Readonly<Record<string, string>>

/** An answer whose body is JSON; no cache stores it. */
export const jsonAnswer = (
  status: number,
  body: string,
  header: AnswerHeader = {},
): HttpAnswer => ({
  status,
  header: {
    ...header,
    'content-type': 'application/json',
    'cache-control': 'no-store',
    'content-length': String(byteLength(body)),
  },
  body,
})

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

/** RFC 9110, section 15.5.6. What has GET, has HEAD. */
export const methodNotAllowed = (verbs: readonly string[]): HttpAnswer => {
  const status = transportStatus(
    Code.Unimplemented,
    'The path has no such method',
    'METHOD_NOT_ALLOWED',
  )
  const allowed = verbs.join(', ').replace('GET', 'GET, HEAD')
  return errorAnswer(status, { allow: allowed }, 405)
}

export const UNSUPPORTED_TYPE = 415

/** RFC 9110, section 15.5.16. */
export const unsupportedType = (accepted: string): HttpAnswer => {
  const status = transportStatus(
    Code.InvalidArgument,
    'The content type is not served here',
    'UNSUPPORTED_MEDIA_TYPE',
  )
  return errorAnswer(status, { accept: accepted }, UNSUPPORTED_TYPE)
}
