import { Code, ConnectError } from '@connectrpc/connect'
import { type IamError, type Status, toStatus } from '../../index.js'
import { type ResolvedOptions, toConsole } from '../options.js'
import { type Call, type HeaderReader, traceIdOf } from './call.js'
import { withFewViolations } from './few-violations.js'
import { statusError, statusOf, TYPE_PREFIX, transportStatus } from './status-error.js'

/** The codes whose cause is for the host alone. */
const CODES_WITH_CAUSE = [Code.Internal, Code.Unavailable]

/** The answer to a call that the library refused; its cause is reported to the host. */
export const refused = (options: ResolvedOptions, call: Call, error: IamError): ConnectError => {
  if (error.kind === 'Cancelled' && isLate(call)) return statusError(TOO_LATE)
  const status = toStatus(withFewViolations(error))
  const retryAfter = retryAfterOf(status)
  if (retryAfter !== undefined) call.responseHeader.set('retry-after', retryAfter)
  if (status.code === Code.Unauthenticated)
    call.responseHeader.set('www-authenticate', options.challenge)
  const isReported = CODES_WITH_CAUSE.includes(status.code)
  return statusError(isReported ? withCorrelationId(status, report(options, call, error)) : status)
}

/** `Retry-After` (RFC 9110, section 10.2.3), in whole seconds; undefined without a RetryInfo. */
const retryAfterOf = ({ details }: Status): string | undefined => {
  const info = details.find((detail) => detail['@type'] === `${TYPE_PREFIX}google.rpc.RetryInfo`)
  return info && String(Math.ceil(Number.parseFloat(String(info['retryDelay']))))
}

/** The id stands in the metadata of ErrorInfo, the one detail that has any. */
const withCorrelationId = (status: Status, correlationId: string): Status => ({
  ...status,
  details: status.details.map((detail) =>
    'metadata' in detail
      ? { ...detail, metadata: Object.assign({}, detail['metadata'], { correlationId }) }
      : detail,
  ),
})

/** Whether it is the deadline of the client that ended the call, rather than its leaving. */
const isLate = ({ signal: { reason } }: Call): boolean =>
  reason instanceof ConnectError && reason.code === Code.DeadlineExceeded

const TOO_LATE = transportStatus(Code.DeadlineExceeded, 'The deadline has passed')

/**
 * The answer to a call that threw before its request was read. What is thrown after the client has left is most
 * likely a consequence of that, and no failure.
 */
export const failed = (options: ResolvedOptions, call: Call, cause: unknown): ConnectError =>
  call.signal.aborted
    ? refused(options, call, { kind: 'Cancelled' })
    : unexpected(options, call, cause)

/** The answer to a call in which something was thrown. */
export const unexpected = (options: ResolvedOptions, call: Call, cause: unknown): ConnectError =>
  statusError(statusOfThrown(options, call, cause))

/** The status of {@link unexpected}. The cause is reported to the host alone, under the same correlation id. */
export const statusOfThrown = (options: ResolvedOptions, call: Call, cause: unknown): Status => {
  return statusOf(cause) ?? withCorrelationId(UNEXPECTED, report(options, call, cause))
}

const UNEXPECTED = transportStatus(
  Code.Internal,
  'An unexpected error. Tell the operator its correlation id',
  'UNEXPECTED',
)

const report = (options: ResolvedOptions, call: Call, cause: unknown): string => {
  const { parent, name } = call.method
  return reportFailure(options, [`${parent.typeName}/${name}`, call.requestHeader], cause)
}

/** What failed, and the headers of its request. */
type Failed = readonly [method: string, header: HeaderReader]

/** Reports a cause to the host, under the correlation id that it answers. */
export const reportFailure = (
  { onError }: ResolvedOptions,
  [method, header]: Failed,
  cause: unknown,
): string => {
  const correlationId = traceIdOf(header) ?? crypto.randomUUID()
  const failure = { correlationId, method }
  // What it throws, or rejects with, is not for the caller; without it the cause would go unseen.
  new Promise<void>((resolve) => resolve(onError(cause, failure)))
    .catch((thrown) => {
      toConsole(cause, failure)
      toConsole(thrown, failure)
    })
    .catch(() => {})
  return correlationId
}
