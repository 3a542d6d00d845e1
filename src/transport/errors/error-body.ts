import { Code } from '@connectrpc/connect'
import type { UniversalServerResponse } from '@connectrpc/connect/protocol'
import { codeFromString } from '@connectrpc/connect/protocol-connect'
import { httpStatusOf, type Status } from '../../index.js'
import { jsonAnswer } from '../json/json-answer.js'
import { errorInfo, TYPE_PREFIX } from './status-error.js'

/** An answer with the error body of the specification. Spec: Errors. */
export const errorResponse = (
  body: Status,
  header?: Headers,
  status: number = httpStatusOf(body),
): UniversalServerResponse => jsonAnswer(status, JSON.stringify(body), header)

/** An error that HTTP itself is about, such as a method that a path does not have. */
export const httpError = (
  status: number,
  { code, message, reason }: HttpError,
  header?: Headers,
): UniversalServerResponse =>
  errorResponse({ code, message, details: [errorInfo(reason)] }, header, status)

interface HttpError {
  readonly code: Code
  readonly message: string
  readonly reason: string
}

/** What ConnectRPC writes as the body of an error, as the specification has it. */
export const statusOf = (connectBody: string): Status => {
  const { code, message, details }: ConnectBody = JSON.parse(connectBody)
  const number = codeFromString(code ?? '') ?? Code.Internal
  return {
    code: number,
    message: inOwnWords(message ?? ''),
    details: details ? details.map(detailOf) : [errorInfo((code ?? 'internal').toUpperCase())],
  }
}

/** What ConnectRPC says of its options, which mean nothing to callers. */
const OWN_WORDS: readonly (readonly [said: RegExp, message: string])[] = [
  [/^unknown compression/, 'A compressed request is not served'],
  [/configured readMaxBytes/, 'The request is larger than 1 MiB'],
]

const inOwnWords = (message: string): string =>
  OWN_WORDS.find(([said]) => said.test(message))?.[1] ?? message

/** https://connectrpc.com/docs/protocol#error-end-stream */
interface ConnectBody {
  readonly code?: string
  readonly message?: string
  readonly details?: readonly { readonly type: string; readonly debug: object }[]
}

const detailOf = ({ type, debug }: { readonly type: string; readonly debug: object }) => ({
  '@type': `${TYPE_PREFIX}${type}`,
  ...debug,
})
