import { Code, ConnectError, type HandlerContext } from '@connectrpc/connect'
import { type IamError, type Status, toStatus } from '../../index.js'
import { type Edge, toConsole } from '../options.js'
import { withFewViolations } from './few-violations.js'
import { retryAfterOf } from './retry-after.js'
import { errorInfo, isStatusError, statusError } from './status-error.js'
import { traceIdOf } from './trace-id.js'

/** The codes whose cause is for the host alone. */
const CODES_WITH_CAUSE = [Code.Internal, Code.Unavailable]

/** What is known of a call that fails, whether in its body or in what it does. */
type Call = Pick<
  HandlerContext,
  'service' | 'method' | 'signal' | 'requestHeader' | 'responseHeader'
>

/** The answer to a call that the library refused; the host is told what is behind it. */
export const refused = (edge: Edge, call: Call, error: IamError): ConnectError => {
  if (error.kind === 'Cancelled' && isLate(call)) return tooLate()
  const status = toStatus(withFewViolations(error))
  const retryAfter = retryAfterOf(status)
  if (retryAfter !== undefined) call.responseHeader.set('retry-after', retryAfter)
  if (status.code === Code.Unauthenticated)
    call.responseHeader.set('www-authenticate', edge.challenge)
  const isTold = CODES_WITH_CAUSE.includes(status.code)
  return statusError(isTold ? withCorrelationId(status, tell(edge, call, error)) : status)
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

const tooLate = (): ConnectError =>
  statusError({
    code: Code.DeadlineExceeded,
    message: 'The deadline has passed',
    details: [errorInfo('DEADLINE_EXCEEDED')],
  })

/**
 * The answer to a call that threw before it was understood. What is thrown once nobody waits any more is
 * most likely that, and no failure.
 */
export const failed = (edge: Edge, call: Call, cause: unknown): ConnectError =>
  call.signal.aborted ? refused(edge, call, { kind: 'Cancelled' }) : unexpected(edge, call, cause)

/** The answer to a call that something threw in: of the cause, it shows how the host was told. */
export const unexpected = (edge: Edge, call: Call, cause: unknown): ConnectError => {
  if (isStatusError(cause)) return cause
  const correlationId = tell(edge, call, cause)
  return statusError({
    code: Code.Internal,
    message: 'An unexpected error. Tell the operator its correlation id',
    details: [errorInfo('UNEXPECTED', { correlationId })],
  })
}

const tell = ({ onError }: Edge, call: Call, cause: unknown): string => {
  const correlationId = traceIdOf(call.requestHeader) ?? crypto.randomUUID()
  const failure = { correlationId, method: `${call.service.typeName}/${call.method.name}` }
  // What it throws, or rejects with, is not for the caller; without it the cause would go unseen.
  new Promise<void>((resolve) => resolve(onError(cause, failure)))
    .catch((thrown) => {
      toConsole(cause, failure)
      toConsole(thrown, failure)
    })
    .catch(() => {})
  return correlationId
}
