import { httpStatusOf, type IamError, toStatus } from '../index.js'

/** Ends a request with an error, or one question of a batch. */
export class Refusal {
  /** HTTP status. */
  readonly status: number
  /** In English, for the developer of the client. */
  readonly message: string
  /** The cause, for the host only. */
  readonly cause: unknown
  /** How long to wait before a retry, in milliseconds. */
  readonly retryAfter: number | undefined

  constructor(
    status: number,
    message: string,
    { cause, retryAfter }: Partial<Pick<Refusal, 'cause' | 'retryAfter'>> = {},
  ) {
    this.status = status
    this.message = message
    this.cause = cause
    this.retryAfter = retryAfter
  }
}

export const malformed = (message: string): Refusal => new Refusal(400, message)

/** Errors of the library that a request may get; any other is unexpected. */
const EXPECTED: readonly IamError['kind'][] = [
  'InvalidArgument',
  'Unauthenticated',
  'PermissionDenied',
  'Cancelled',
  'Unavailable',
]

/** The refusal of a request that the library, or `authenticate`, refuses. */
export const refusalOf = (error: IamError): Refusal => {
  if (!EXPECTED.includes(error.kind)) return unexpected(error)
  const isFault = error.kind === 'Unavailable'
  const options = isFault ? { cause: error, retryAfter: error.retryAfter } : {}
  return new Refusal(httpStatusOf(error), toStatus(error).message, options)
}

/** The refusal of a request in which something unexpected happened. */
export const unexpected = (cause: unknown): Refusal =>
  new Refusal(500, 'An unexpected error. Tell the operator the X-Request-ID', { cause })
