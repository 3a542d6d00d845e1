import { type Caller, type Context, isIamError, type Status } from '../../index.js'
import type { HttpRequest, HttpResponse, ResponseHeaders } from '../http.js'
import type { Authentication, ResolvedOptions } from '../options.js'
import { identityProviderService, ObjectDetails, type WireField, type WireMethod } from '../wire.js'
import type { Values } from './message.js'
import type { Operation } from './operation.js'
import {
  type CallContext,
  malformed,
  Refusal,
  refusalOf,
  refusalOfError,
  traceIdOf,
  transportStatus,
} from './refusal.js'

/** How a protocol carries the calls of one operation. */
interface Carried {
  readonly operation: Operation
  readonly request: HttpRequest
  /** The time that the call may take, in milliseconds; undefined without a limit. */
  readonly timeout: number | Refusal | undefined
  readonly most: number
  readonly headers: ResponseHeaders
  /** Checks the request before its body is read, and returns how to read the body. @throws Refusal */
  readonly begin: () => (bytes: Uint8Array) => Values
  readonly respond: (response: object, headers: ResponseHeaders) => HttpResponse
  readonly refuse: (status: Status, headers: ResponseHeaders) => HttpResponse
}

/** Answers a call in any protocol: authenticate, read, run, write. Whatever is thrown becomes a refusal. */
export const answerCall = async (
  options: ResolvedOptions,
  { operation, request, timeout, most, headers, begin, respond, refuse }: Carried,
): Promise<HttpResponse> => {
  const { header, body } = request
  const { signal, isLate, end } = deadlineAfter(timeout, request.signal)
  const call: CallContext = { method: operation.method, header, signal, isLate }
  let caller: Caller | undefined
  try {
    const authenticated = authenticate(options, call, operation, request.headers)
    caller = authenticated instanceof Promise ? await authenticated : authenticated
    if (timeout instanceof Refusal) throw timeout
    const read = begin()
    const values = read(body ? await readBody(body, signal, most) : NO_BYTES)
    const response = await perform(options, call, operation, values, caller)
    const etag = etagOf(operation.method, response)
    return respond(response, etag === undefined ? headers : { ...headers, etag })
  } catch (thrown) {
    const refusal = refusalOf(options, call, { thrown, caller })
    return refuse(refusal.status, { ...headers, ...refusal.headers })
  } finally {
    end()
  }
}

const NO_BYTES = new Uint8Array()

/** The release that deprecated the operations marked so (RFC 9745). */
const DEPRECATED_SINCE = '@1767225600'

/** Headers of every answer to calls of an operation. */
export const headersOf = ({ method }: Operation): ResponseHeaders =>
  method.isDeprecated ? { deprecation: DEPRECATED_SINCE } : {}

/**
 * Authenticates the caller before the body of the request is read; synchronous if the host's function is. Undefined for
 * a public operation, because probes have no credentials.
 *
 * @throws Refusal if there is no caller
 */
const authenticate = (
  options: ResolvedOptions,
  call: CallContext,
  operation: Operation,
  headers: () => Headers,
): Caller | Promise<Caller> | undefined => {
  if (operation.isPublic) return undefined
  const answered = options.authenticate(headers(), call.signal)
  const isPromise = typeof answered === 'object' && answered !== null && 'then' in answered
  return isPromise
    ? Promise.race([answered, aborted(call.signal)]).then((caller) =>
        admitted(options, call, caller),
      )
    : admitted(options, call, answered)
}

const admitted = (
  options: ResolvedOptions,
  call: CallContext,
  caller: Authentication | null,
): Caller => {
  // `null` too: not every host is type-checked.
  if (!caller) throw refusalOfError(options, call, { kind: 'Unauthenticated' })
  if (isIamError(caller)) throw refusalOfError(options, call, caller)
  refuseOddPermissions(caller)
  return caller
}

/** The core checks the ids of a caller; permissions are for `authorize` alone, so the core does not look at them. */
const refuseOddPermissions = ({ permissions = [], permissionsIn = {} }: Caller): void => {
  const odd = !isListOfText(permissions)
    ? 'permissions must be a list of text'
    : typeof permissionsIn !== 'object' || !Object.values(permissionsIn).every(isListOfText)
      ? 'permissionsIn must hold lists of text'
      : undefined
  if (odd) throw new TypeError(`authenticate must return a well-formed caller: caller.${odd}`)
}

const isListOfText = (value: unknown): boolean =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/** Rejects once the call is over. */
const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
  })

/** All bytes of a body, at most `most`. @throws Refusal if there are more, and any exception of reading */
const readBody = async (
  body: (most: number) => Promise<Uint8Array>,
  signal: AbortSignal,
  most: number,
): Promise<Uint8Array> => {
  const bytes = await body(most)
  if (bytes.length > most) throw TOO_LARGE
  // Over HTTP/2, a request that was cut off looks like one that has ended.
  signal.throwIfAborted()
  return bytes
}

/** For a request that is larger than {@link MAX_REQUEST_BYTES}. */
export const TOO_LARGE = new Refusal(
  transportStatus('resource_exhausted', 'The request is larger than 1 MiB'),
)

/** For a request whose body is compressed. */
export const ENCODED = transportStatus('unimplemented', 'Compressed requests are not supported')

/** Longest wait of a timer of JavaScript, in milliseconds: 24 days. A longer one ends at once. */
const LONGEST_TIMER = 2 ** 31 - 1

/** Ends a call after a time in milliseconds. `end` is called once the call has ended. */
const deadlineAfter = (timeout: Carried['timeout'], signal: AbortSignal) => {
  if (typeof timeout !== 'number' || timeout > LONGEST_TIMER)
    return { signal, isLate: () => false, end: () => {} }
  // Not `AbortSignal.timeout`: with a listener, it is kept until its time has come.
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(), timeout)
  return {
    signal: AbortSignal.any([signal, late.signal]),
    isLate: () => late.signal.aborted && !signal.aborted,
    end: () => clearTimeout(timer),
  }
}

/**
 * Runs an operation. Every request that changes something has a field `reason`, which is not an input of the method;
 * empty means absent.
 *
 * @throws Refusal if the library refuses the call
 */
const perform = async (
  options: ResolvedOptions,
  call: CallContext,
  operation: Operation,
  { reason, ...input }: Values,
  caller: Caller | undefined,
): Promise<object> => {
  const context = contextOf(options, call, caller)
  const hasReason = typeof reason === 'string' && reason !== ''
  const answer = await operation.run(input, hasReason ? { ...context, reason } : context)
  if (answer.isErr()) throw refusalOfError(options, call, answer.error)
  return answer.value
}

/** The version of the one object that was written or read. */
const etagOf = ({ response: { fields } }: WireMethod, response: object): string | undefined => {
  const field = fields.find(
    (field) => field.kind === 'message' && field.message.fields.some(isDetails),
  )
  const holder = fields.some(isDetails) || !field ? response : Reflect.get(response, field.name)
  const sequence: unknown = Object(Object(holder)['details'])['sequence']
  return typeof sequence === 'bigint' ? `"${sequence}"` : undefined
}

const isDetails = (field: WireField): boolean =>
  field.kind === 'message' && field.message === ObjectDetails

/** Makes the library's context from the headers of a call. @throws Refusal if one is malformed */
const contextOf = (
  options: ResolvedOptions,
  { method, header, signal }: CallContext,
  caller: Caller | undefined,
): Context => ({
  caller,
  orgId: organizationOf(header.get(options.organizationHeader), method.service, caller),
  // Reads refuse both.
  ...(method.effect !== 'none' && {
    expectedSequence: expectedSequenceOf(header.get('if-match')),
    idempotencyKey: idempotencyKeyOf(header.get('idempotency-key')),
  }),
  correlationId: traceIdOf(header),
  signal,
})

const OWN_ORGANIZATION = identityProviderService.getIdentityProvider.service

/**
 * Empty means absent. Identity provider operations act in the caller's own organization: there the header may name no
 * other.
 */
const organizationOf = (
  header: string | null,
  service: string,
  caller: Caller | undefined,
): string | undefined => {
  const orgId = header || undefined
  if (orgId?.includes(','))
    throw malformed({ field: 'orgId', description: 'must be a single organization' })
  if (service !== OWN_ORGANIZATION || orgId === undefined || orgId === caller?.orgId) return orgId
  const description = "must be the caller's own organization, or absent, on identity providers"
  throw malformed({ field: 'orgId', description })
}

/** Header fields of one name may be joined by a comma on the way (RFC 9110, section 5.3), so keys have no comma. */
const idempotencyKeyOf = (value: string | null): string | undefined => {
  if (!value?.includes(',')) return value ?? undefined
  const description = 'must be a single key without a comma'
  throw malformed({ field: 'idempotencyKey', description })
}

/**
 * `*` only requires that the object exists, as every write does. A proxy that compresses a response marks its tag as
 * weak or appends `-gzip`: the tag still names the version of the object.
 */
const expectedSequenceOf = (ifMatch: string | null): bigint | undefined => {
  if (ifMatch === null || ifMatch === '*') return undefined
  const sequence = /^(?:W\/)?"(\d{1,20})(?:-[-\w]+)?"$/.exec(ifMatch)?.[1]
  if (sequence !== undefined) return BigInt(sequence)
  const description = 'must be the ETag of a response, in quotation marks, or *'
  throw malformed({ field: 'expectedSequence', description })
}
