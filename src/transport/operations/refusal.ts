import {
  type Caller,
  checkCaller,
  httpStatusOf,
  type IamError,
  type Status,
  toStatus,
  type Violation,
} from '../../index.js'
import { notifyHost } from '../handler-options.js'
import {
  type HeaderReader,
  type HttpResponse,
  jsonResponse,
  type ResponseHeaders,
} from '../http.js'
import type { ResolvedOptions } from '../options.js'
import type { WireMethod } from '../wire.js'

/** An error response. Thrown anywhere within a call, and caught once. */
export class Refusal {
  readonly status: Status
  readonly headers: ResponseHeaders

  constructor(status: Status, headers: ResponseHeaders = {}) {
    this.status = status
    this.headers = headers
  }
}

/** A call in progress, in any protocol. */
export interface CallContext {
  readonly method: WireMethod
  readonly header: HeaderReader
  readonly signal: AbortSignal
  /** Whether the deadline of the client ended the call. */
  readonly isLate: () => boolean
}

/** The codes of google.rpc that the transport itself refuses with. */
export const CODES = {
  invalid_argument: 3,
  deadline_exceeded: 4,
  not_found: 5,
  resource_exhausted: 8,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
}

/** How `@type` of a detail begins, before the name of its message. */
export const TYPE_PREFIX = 'type.googleapis.com/'

/** The status of an error that only the transport has. */
export const transportStatus = (
  code: keyof typeof CODES,
  message: string,
  reason: string = code.toUpperCase(),
): Status => ({
  code: CODES[code],
  message,
  details: [
    { '@type': `${TYPE_PREFIX}google.rpc.ErrorInfo`, reason, domain: 'claviger', metadata: {} },
  ],
})

/** A {@link Refusal} of a malformed request. */
export const malformed = (violation: Violation): Refusal => invalidArgument([violation])

/** @throws Refusal if there is any violation */
export const refuseMalformed = (violations: readonly Violation[]): void => {
  if (violations.length > 0) throw invalidArgument(violations)
}

const invalidArgument = (violations: readonly Violation[]): Refusal =>
  new Refusal(toStatus({ kind: 'InvalidArgument', violations: limitViolations(violations) }))

/** In gRPC, details are a trailer. Clients accept 8 KiB of trailers, and base64 adds a third. */
const MAX_BYTES = 5_000

/** Characters of a field's name. No name of ours is longer; an unknown one may be. */
const MAX_NAME = 100

/** Tags and lengths of a violation in protobuf. */
const OVERHEAD = 8

/** The first violations, as many as every protocol can carry; at least one if there is any. */
const limitViolations = (violations: readonly Violation[]): readonly Violation[] => {
  const limited: Violation[] = []
  let left = MAX_BYTES
  for (const violation of violations) {
    const short = shortened(violation)
    left -= new TextEncoder().encode(short.field + short.description).length + OVERHEAD
    if (left < 0 && limited.length > 0) break
    limited.push(short)
  }
  return limited
}

/** As well-formed text: protobuf takes no other, and JSON has it. */
const shortened = ({ field, description }: Violation): Violation => {
  // A character has at most two units. The slice cuts none of the first hundred.
  const characters = [...field.slice(0, 2 * (MAX_NAME + 1)).toWellFormed()]
  const name = characters.slice(0, MAX_NAME).join('')
  return { field: characters.length > MAX_NAME ? `${name}…` : name, description }
}

/** Codes whose cause only the host may see. */
const CODES_WITH_CAUSE = [CODES.internal, CODES.unavailable]

/** The refusal of a call that the library refused. The cause of a fault goes to `onError`. */
export const refusalOfError = (
  options: ResolvedOptions,
  call: CallContext,
  error: IamError,
): Refusal => {
  if (error.kind === 'Cancelled' && call.isLate()) return TOO_LATE
  const status = toStatus(
    error.kind === 'InvalidArgument'
      ? { ...error, violations: limitViolations(error.violations) }
      : error,
  )
  const retryAfter = retryAfterOf(status)
  const headers = {
    ...(retryAfter !== undefined && { 'retry-after': retryAfter }),
    ...(status.code === CODES.unauthenticated && { 'www-authenticate': options.challenge }),
  }
  return CODES_WITH_CAUSE.includes(status.code)
    ? new Refusal(withCorrelationId(status, report(options, call, error)), headers)
    : new Refusal(status, headers)
}

const TOO_LATE = new Refusal(transportStatus('deadline_exceeded', 'The deadline has passed'))

/** `Retry-After` in whole seconds (RFC 9110, section 10.2.3); undefined without a RetryInfo. */
const retryAfterOf = ({ details }: Status): string | undefined => {
  const info = details.find((detail) => detail['@type'] === `${TYPE_PREFIX}google.rpc.RetryInfo`)
  return info && String(Math.ceil(Number.parseFloat(String(info['retryDelay']))))
}

/** The id is part of the metadata of ErrorInfo, the only detail that has any. */
const withCorrelationId = (status: Status, correlationId: string): Status => ({
  ...status,
  details: status.details.map((detail) =>
    'metadata' in detail
      ? { ...detail, metadata: Object.assign({}, detail['metadata'], { correlationId }) }
      : detail,
  ),
})

/**
 * The refusal of a call in which something was thrown. Anything else than a {@link Refusal} is unexpected: its cause
 * goes to `onError`, never to the client. After the client has disconnected, it is most likely a consequence of that
 * and not a failure.
 */
export const refusalOf = (
  options: ResolvedOptions,
  call: CallContext,
  { thrown, caller }: { readonly thrown: unknown; readonly caller: Caller | undefined },
): Refusal => {
  if (thrown instanceof Refusal) {
    const isMalformed = thrown.status.code === CODES.invalid_argument
    const fault = isMalformed && caller !== undefined ? callerFault(caller) : undefined
    return fault ? unexpected(options, call, fault) : thrown
  }
  return call.signal.aborted
    ? refusalOfError(options, call, { kind: 'Cancelled' })
    : unexpected(options, call, thrown)
}

const unexpected = (options: ResolvedOptions, call: CallContext, cause: unknown): Refusal =>
  new Refusal(withCorrelationId(UNEXPECTED, report(options, call, cause)))

const UNEXPECTED = transportStatus(
  'internal',
  'An unexpected error. Tell the operator its correlation id',
  'UNEXPECTED',
)

/** A malformed caller is a fault of the host, not of the client. */
const callerFault = (caller: Caller): TypeError | undefined => {
  const faults = faultsOf(caller)
  return faults.length > 0
    ? new TypeError(`authenticate must return a well-formed caller: ${faults.join('; ')}`)
    : undefined
}

const faultsOf = (caller: Caller): readonly string[] => {
  try {
    return checkCaller(caller).map(({ field, description }) => `${field} ${description}`)
  } catch {
    return ['its properties must be readable']
  }
}

const report = (options: ResolvedOptions, call: CallContext, cause: unknown): string => {
  const { service, name } = call.method
  return reportFailure(options, [`${service}/${name}`, call.header], cause)
}

/** Reports a cause to the host. Returns the correlation id. */
export const reportFailure = (
  { onError }: ResolvedOptions,
  [method, header]: readonly [method: string, header: HeaderReader],
  cause: unknown,
): string => {
  const correlationId = traceIdOf(header) ?? crypto.randomUUID()
  notifyHost(onError, cause, { correlationId, method })
  return correlationId
}

/** W3C Trace Context, section 3.2: version, trace id, parent id, flags. */
const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-|$)/

/** The trace id of `traceparent`; undefined if the header is absent or malformed. */
export const traceIdOf = (header: HeaderReader): string | undefined =>
  TRACEPARENT.exec(header.get('traceparent') ?? '')?.[1]

/** A response with the error body of the specification. */
export const statusResponse = (
  status: Status,
  headers?: ResponseHeaders,
  httpStatus: number = httpStatusOf(status),
): HttpResponse => jsonResponse(httpStatus, JSON.stringify(status), headers)

/** 405 (RFC 9110, section 15.5.6). A path with GET also has HEAD. */
export const methodNotAllowed = (verbs: readonly string[]): HttpResponse =>
  statusResponse(METHOD_NOT_ALLOWED, { allow: verbs.join(', ').replace('GET', 'GET, HEAD') }, 405)

const METHOD_NOT_ALLOWED = transportStatus(
  'unimplemented',
  'The path does not support this method',
  'METHOD_NOT_ALLOWED',
)

/** 415 (RFC 9110, section 15.5.16). */
export const unsupportedType = (accepted: string): HttpResponse =>
  statusResponse(UNSUPPORTED_TYPE, { accept: accepted }, 415)

const UNSUPPORTED_TYPE = transportStatus(
  'invalid_argument',
  'The content type is not supported',
  'UNSUPPORTED_MEDIA_TYPE',
)
