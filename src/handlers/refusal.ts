import type { IamError } from '../index.js'
import { notifyHost, toConsole } from '../transport/handler-options.js'
import type { HttpRequest, ResponseHeaders, Service } from '../transport/http.js'
import type { TransportOptions } from '../transport/options.js'

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
    { cause, retryAfter }: { readonly cause?: unknown; readonly retryAfter?: number } = {},
  ) {
    this.status = status
    this.message = message
    this.cause = cause
    this.retryAfter = retryAfter
  }
}

export const malformed = (message: string): Refusal => new Refusal(400, message)

/** The refusal of a request that the library, or `authenticate`, refuses. */
export const refusalOf = (error: IamError): Refusal => {
  switch (error.kind) {
    case 'InvalidArgument':
      return malformed('The request is malformed')
    case 'Unauthenticated':
      return new Refusal(401, 'The call has no authenticated caller')
    case 'PermissionDenied':
      return new Refusal(403, 'The caller lacks the permission')
    case 'Cancelled':
      return new Refusal(499, 'The call was cancelled')
    case 'Unavailable': {
      const { retryAfter } = error
      const options = { cause: error, ...(retryAfter !== undefined && { retryAfter }) }
      return new Refusal(503, 'A service that the call depends on is unavailable', options)
    }
    default:
      return unexpected(error)
  }
}

/** The refusal of a request in which something unexpected happened. */
export const unexpected = (cause: unknown): Refusal =>
  new Refusal(500, 'An unexpected error. Tell the operator the X-Request-ID', { cause })

/** The header with the id of a request. */
export const REQUEST_ID = 'x-request-id'

/** Headers of a refusal. Its cause, if it has one, goes to the host with the id of the request. */
export const refusalHeaders = (
  { onError = toConsole, challenge = 'Bearer' }: Pick<TransportOptions, 'onError' | 'challenge'>,
  { method, path, header }: Pick<HttpRequest, 'method' | 'path' | 'header'>,
  { status, cause, retryAfter }: Refusal,
): ResponseHeaders => {
  const correlationId = header.get(REQUEST_ID) ?? crypto.randomUUID()
  if (cause !== undefined)
    notifyHost(onError, cause, { correlationId, method: `${method} ${path}` })
  return {
    ...(status === 401 && { 'www-authenticate': challenge }),
    ...(retryAfter !== undefined && { 'retry-after': String(Math.ceil(retryAfter / 1000)) }),
    ...(cause !== undefined && { [REQUEST_ID]: correlationId }),
  }
}

/** Tells the host of a response that could not be sent. */
export const unsentTo =
  ({ onError = toConsole }: Pick<TransportOptions, 'onError'>): Service['onUnsent'] =>
  (cause, method, header) => {
    const correlationId = header.get(REQUEST_ID) ?? crypto.randomUUID()
    notifyHost(onError, cause, { correlationId, method })
  }
