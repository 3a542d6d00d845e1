import type { Result } from 'neverthrow'
import { idsOf } from '../../domain/aggregates.js'
import type { NotFound } from '../../domain/decider.js'
import { fieldOf, type ObjectRef } from '../../domain/values.js'
import type {
  AccessDenied,
  DifferentLog,
  IamError,
  LogFault,
  Moved,
  PermissionDenied,
  Unavailable,
} from './errors.js'

/** A google.rpc error detail: its type and its fields. */
export interface StatusDetail {
  /** `type.googleapis.com/google.rpc.` followed by the message's name, such as `ErrorInfo`. */
  readonly '@type': string
  readonly [field: string]: unknown
}

/** The error response body. */
export interface Status {
  /** Number of the google.rpc code; `httpStatusOf` gives its HTTP status. */
  readonly code: number
  /** For developers, in English. */
  readonly message: string
  /** `ErrorInfo` first, then the details of the kind of error. */
  readonly details: readonly StatusDetail[]
}

/** An error of a method, or of a function that reads a whole log: `verify`, `copyEvents`, `iam.checkSecrets`. */
export type AnyError = IamError | LogFault | DifferentLog

/** The google.rpc codes that the library and its transport use, by number. */
const RPC_CODES = {
  1: { name: 'CANCELLED', httpStatus: 499 },
  3: { name: 'INVALID_ARGUMENT', httpStatus: 400 },
  4: { name: 'DEADLINE_EXCEEDED', httpStatus: 504 },
  5: { name: 'NOT_FOUND', httpStatus: 404 },
  6: { name: 'ALREADY_EXISTS', httpStatus: 409 },
  7: { name: 'PERMISSION_DENIED', httpStatus: 403 },
  8: { name: 'RESOURCE_EXHAUSTED', httpStatus: 413 }, // only the size of requests is limited
  9: { name: 'FAILED_PRECONDITION', httpStatus: 409 },
  10: { name: 'ABORTED', httpStatus: 409 },
  12: { name: 'UNIMPLEMENTED', httpStatus: 501 },
  13: { name: 'INTERNAL', httpStatus: 500 },
  14: { name: 'UNAVAILABLE', httpStatus: 503 },
  15: { name: 'DATA_LOSS', httpStatus: 500 },
  16: { name: 'UNAUTHENTICATED', httpStatus: 401 },
} as const

/** google.rpc code and message of every error. */
const TABLE: {
  readonly [Kind in AnyError['kind']]: readonly [code: keyof typeof RPC_CODES, message: string]
} = {
  Cancelled: [1, 'The call was cancelled'],
  InvalidArgument: [3, 'The request is malformed'],
  NotFound: [5, 'The object does not exist'],
  AlreadyExists: [6, 'The object already exists'],
  PermissionDenied: [7, 'The caller lacks the permission'],
  AccessDenied: [7, 'The user does not have this access'],
  SequenceMismatch: [9, 'The object has changed since the expected sequence'],
  Protected: [9, 'The object is protected. Only applying its desired state may change it'],
  PlanOutdated: [9, 'Objects have changed since the plan was made. Plan again'],
  IdempotencyKeyReused: [9, 'The idempotency key was used for another command'],
  ProjectInactive: [9, 'The project is inactive'],
  ProjectRoleRequired: [9, 'The user has no role of the project'],
  ProjectGrantRequired: [9, "The user's organization has no grant to the project"],
  ProofNotFound: [9, 'The challenge of the domain is not published'],
  NotConfigured: [9, 'The server is not configured for this'],
  Aborted: [10, 'Other writers kept changing the same objects. Try again'],
  UnknownEvent: [13, 'The log contains an event of a newer version'],
  CorruptEvent: [13, 'The log contains an event that cannot be read'],
  SecretUnreadable: [13, 'The client secret cannot be decrypted: wrong key, or tampered'],
  ProjectionFailed: [13, 'A projection failed at an event'],
  SourceFailed: [13, 'The source of the rows failed'],
  PositionOutOfOrder: [13, 'The log is not in the order of its positions'],
  VersionOutOfOrder: [13, 'A stream of the log is not in the order of its versions'],
  LogChanged: [15, 'The log does not match a checkpoint'],
  SealBroken: [13, 'The log contains a client secret that these keys do not decrypt'],
  DifferentLog: [13, 'The target has events that are not in the source'],
  Unavailable: [14, 'A service that the call depends on is unavailable'],
  Unauthenticated: [16, 'The call has no authenticated caller'],
}

/** Errors that only functions reading a whole log return. */
const OF_LOGS: { readonly [Kind in Exclude<AnyError, IamError>['kind']]: true } = {
  LogChanged: true,
  PositionOutOfOrder: true,
  VersionOutOfOrder: true,
  SealBroken: true,
  DifferentLog: true,
}

/**
 * The error response body for `error`, without cause, stack or secrets.
 *
 * @throws TypeError with `error` as its `cause` when no method of `Iam` answers it, such as an error of a sign-in
 */
export const toStatus = (error: AnyError): Status => {
  if (!Object.hasOwn(TABLE, error?.kind)) {
    const kind = fieldOf(error, 'kind')
    const named = typeof kind === 'string' ? kind.slice(0, 100) : 'unknown'
    throw new TypeError(`Not an error of a method of Iam: its kind is ${named}`, { cause: error })
  }
  const [code, message] = TABLE[error.kind]
  const reason = reasonOf(error)
  const errorInfo = detail('ErrorInfo', { reason, domain: 'claviger', metadata: metadataOf(error) })
  return { code, message, details: [errorInfo, ...specificDetails(error)] }
}

/**
 * Whether `value` is an error of a method, by its `kind` alone: for values that were thrown or returned, not for
 * data from elsewhere, such as parsed JSON.
 */
export const isIamError = (value: unknown): value is IamError => {
  const kind = fieldOf(value, 'kind')
  return typeof kind === 'string' && Object.hasOwn(TABLE, kind) && !Object.hasOwn(OF_LOGS, kind)
}

const detail = (name: string, fields: object): StatusDetail => ({
  '@type': `type.googleapis.com/google.rpc.${name}`,
  ...fields,
})

/** `PermissionDenied` → `PERMISSION_DENIED`; stable, so that programs can rely on it. */
const reasonOf = ({ kind }: AnyError): string => kind.replaceAll(/\B[A-Z]/g, '_$&').toUpperCase()

const metadataOf = (error: AnyError): Readonly<Record<string, string>> => {
  switch (error.kind) {
    case 'PermissionDenied':
      return { permission: error.permission, orgId: error.orgId }
    case 'NotFound':
      return error.grantedBy === undefined ? {} : { grantedBy: error.grantedBy }
    case 'AccessDenied':
      return { reasons: kindsOf(error).join() }
    case 'SequenceMismatch':
      return { expected: String(error.expected), actual: String(error.actual) }
    case 'Protected':
      return { managedBy: error.managedBy }
    case 'SecretUnreadable':
      return { secretReason: error.reason }
    case 'SealBroken':
      return { secretReason: error.cause.reason }
    case 'ProjectGrantRequired':
      return { userOrgId: error.userOrgId }
    case 'Unavailable':
      return { outcome: error.outcome }
    case 'ProofNotFound':
      return { recordName: error.recordName }
    case 'NotConfigured':
      return { option: error.option }
    default:
      return {}
  }
}

const kindsOf = ({ reasons }: AccessDenied): readonly string[] => reasons.map(({ kind }) => kind)

const specificDetails = (error: AnyError): readonly StatusDetail[] => {
  switch (error.kind) {
    case 'InvalidArgument':
      return [detail('BadRequest', { fieldViolations: error.violations })]
    case 'NotFound':
    case 'AlreadyExists':
      return [resourceInfo(error.object)]
    case 'Unavailable':
      return retryInfo(error)
    case 'PlanOutdated':
      return [detail('PreconditionFailure', { violations: error.moved.map(violationOf) })]
    case 'SequenceMismatch':
      return [preconditionFailure(error, 'expectedSequence')]
    case 'Protected':
      return [
        preconditionFailure(error, 'managedBy'),
        ...(error.object ? [resourceInfo(error.object)] : []),
      ]
    case 'IdempotencyKeyReused':
      return [preconditionFailure(error, 'idempotencyKey')]
    case 'ProjectInactive':
    case 'ProjectRoleRequired':
    case 'ProjectGrantRequired':
      return [preconditionFailure(error, 'project')]
    case 'ProofNotFound':
      return [preconditionFailure(error, 'domain')]
    case 'NotConfigured':
      return [preconditionFailure(error, error.option)]
    default:
      return []
  }
}

const resourceInfo = (object: ObjectRef): StatusDetail =>
  detail('ResourceInfo', { resourceType: object.type, resourceName: nameOf(object) })

const preconditionFailure = (error: IamError, subject: string): StatusDetail =>
  detail('PreconditionFailure', {
    violations: [{ type: reasonOf(error), subject, description: TABLE[error.kind][1] }],
  })

/** Longest wait that is reported, in milliseconds: a day. */
const LONGEST_WAIT = 86_400_000

/** Programs retry the same call when they see `RetryInfo`, which is safe after `not_recorded` only. */
const retryInfo = ({ outcome, retryAfter = -1 }: Unavailable): readonly StatusDetail[] =>
  outcome === 'not_recorded' && retryAfter >= 0
    ? [detail('RetryInfo', { retryDelay: durationOf(Math.min(retryAfter, LONGEST_WAIT)) })]
    : []

/** A time in milliseconds as protobuf writes it in JSON: `1s`, `1.500s`. */
const durationOf = (milliseconds: number): string => {
  const seconds = Math.ceil(milliseconds) / 1_000
  return `${Number.isInteger(seconds) ? seconds : seconds.toFixed(3)}s`
}

const violationOf = ({ object, change }: Moved): object => ({
  type: 'PLAN_OUTDATED',
  subject: `${object.type}/${nameOf(object)}`,
  description: `was ${change} since`,
})

const nameOf = (object: ObjectRef): string => idsOf(object).join('/')

/** The HTTP status that `claviger/transport` responds with for an error, or for a {@link Status}. */
export const httpStatusOf = (error: AnyError | Pick<Status, 'code'>): number => {
  const { code } = 'kind' in error ? toStatus(error) : error
  // Every other code of google.rpc is a fault of the server, such as 2 UNKNOWN.
  return isRpcCode(code) ? RPC_CODES[code].httpStatus : 500
}

const isRpcCode = (code: number): code is keyof typeof RPC_CODES => Object.hasOwn(RPC_CODES, code)

/**
 * The exception of {@link orThrow}. Its message has the kind, the google.rpc code and the details: malformed fields,
 * the missing permission and organization, the object that was not found, or the reasons why access is denied. Its
 * `cause` is the exception of a port of the host, if any.
 */
export class IamFailure extends Error {
  override readonly name = 'IamFailure'
  /** The result of `toStatus`. */
  readonly status: Status
  readonly #error: AnyError

  constructor(error: AnyError) {
    const status = toStatus(error)
    super(messageOf(error), 'cause' in error ? { cause: error.cause } : undefined)
    this.status = status
    this.#error = error
  }

  /** The error of the method. A getter, so that JSON and logs leave it out: it may contain a `bigint`. */
  get error(): AnyError {
    return this.#error
  }

  /** The response of a server that speaks fetch: `status` as JSON. Hono calls it when a route throws. */
  getResponse(): Response {
    return Response.json(this.status, { status: httpStatusOf(this.status) })
  }
}

const messageOf = (error: AnyError): string => {
  const [code, message] = TABLE[error.kind]
  const summary = `${error.kind} (${RPC_CODES[code].name}): ${message}`
  const particulars = particularsOf(error)
  return particulars === '' ? summary : `${summary}: ${particulars}`
}

/** The details of this error for a developer; may be empty. */
const particularsOf = (error: AnyError): string => {
  switch (error.kind) {
    case 'InvalidArgument':
      return error.violations
        .map(({ field, description }) => `${field} ${description}`.trim())
        .join('; ')
    case 'PermissionDenied':
      return `${error.permission} in the organization ${error.orgId}${targetOf(error)}`
    case 'NotFound':
      return `${namedObject(error.object)}${hintFor(error)}`
    case 'AlreadyExists':
      return namedObject(error.object)
    case 'Protected':
      return `${error.object ? `${namedObject(error.object)}, ` : ''}managedBy ${error.managedBy}`
    case 'ProofNotFound':
      return `publish it as the TXT record ${error.recordName}`
    case 'NotConfigured':
      return `pass the option ${error.option}`
    case 'AccessDenied': {
      const kinds = kindsOf(error)
      return `${kinds.join(', ')}${kinds.includes('ProjectNotFound') ? HINT : ''}`
    }
    default:
      return ''
  }
}

const targetOf = ({ object }: PermissionDenied): string => {
  if (!object) return ''
  const { type, ...ids } = object
  return ` for the ${type.replaceAll('_', ' ')} ${Object.values(ids).join('/')}`
}

const hintFor = ({ object, grantedBy }: NotFound): string => {
  if (grantedBy !== undefined)
    return `. The organization ${grantedBy} granted a project with this id: name it with projectOrgId, if the method has that field`
  return object.type === 'project' ? HINT : ''
}

const namedObject = (object: ObjectRef): string => `${object.type} ${nameOf(object)}`

/** A project was looked for in the organization of the context. */
const HINT =
  '. If another organization owns the project, name that organization with projectOrgId, if the method has that field'

const unwrap = <Value>(result: Result<Value, AnyError>): Value => {
  if (result.isErr()) throw new IamFailure(result.error)
  return result.value
}

// An async function, so that the stack of the exception includes the caller that awaits it.
const unwrapAwaited = async <Value, Failure extends AnyError>(
  result: PromiseLike<Result<Value, Failure>>,
) => unwrap(await result)

/**
 * Returns the value of a result; for routes, scripts and tests.
 *
 * @throws IamFailure when the result is an error
 */
export function orThrow<Value, Failure extends AnyError>(result: Result<Value, Failure>): Value
/**
 * Resolves with the value of a method's result; for routes, scripts and tests. Rejects with an {@link IamFailure} if the result
 * is an error.
 */
export function orThrow<Value, Failure extends AnyError>(
  result: PromiseLike<Result<Value, Failure>>,
): Promise<Value>
export function orThrow<Value, Failure extends AnyError>(
  result: Result<Value, Failure> | PromiseLike<Result<Value, Failure>>,
): Value | Promise<Value> {
  return 'then' in result ? unwrapAwaited(result) : unwrap(result)
}

/** A response never shows raw events (a number of events is allowed), nor the one field that holds a secret. */
const isHidden = (field: string, value: unknown): boolean =>
  field === 'clientSecret' || (field === 'events' && typeof value === 'object')

/**
 * An outcome as plain JSON: sequences as text, as protobuf writes a uint64; dates in RFC 3339, UTC, with
 * milliseconds; without events and secrets. Absent fields stay absent.
 */
export function toJson<Outcome>(outcome: Outcome): JsonOf<Outcome>
export function toJson(outcome: unknown): Json {
  if (typeof outcome === 'bigint') return String(outcome)
  if (outcome instanceof Date) return outcome.toISOString()
  if (Array.isArray(outcome)) return outcome.map(toJson)
  if (typeof outcome === 'object' && outcome !== null)
    return Object.fromEntries(
      Object.entries(outcome)
        .filter(([field, value]) => value !== undefined && !isHidden(field, value))
        .map(([field, value]) => [field, toJson(value)]),
    )
  if (typeof outcome === 'string' || typeof outcome === 'boolean') return outcome
  return typeof outcome === 'number' && Number.isFinite(outcome) ? outcome : null
}

/** Any JSON value. */
export type Json =
  | string
  | number
  | boolean
  | null
  | readonly Json[]
  | { readonly [field: string]: Json }

/**
 * The JSON form of a `Value`, as `toJson` returns it: text for a `bigint` or a `Date`, a {@link JsonObject} for an
 * object, the form of each item for a list, any {@link Json} for `unknown`. A function has no JSON form.
 */
export type JsonOf<Value> = unknown extends Value
  ? Json
  : Value extends string | number | boolean | null
    ? Value
    : Value extends bigint | Date
      ? string
      : Value extends undefined
        ? null
        : Value extends symbol | ((...parameters: never) => unknown)
          ? never
          : Value extends readonly unknown[]
            ? { readonly [Index in keyof Value]: JsonOf<Value[Index]> }
            : JsonObject<Value>

/**
 * The JSON form of an object, field by field: without `events` and `clientSecret`; a field that may be undefined
 * may be absent.
 */
export type JsonObject<Value> = {
  readonly [Field in keyof Value as MayBeAbsent<Value, Field> extends true
    ? never
    : Shown<Value, Field>]: JsonOf<Value[Field]>
} & {
  readonly [Field in keyof Value as MayBeAbsent<Value, Field> extends true
    ? Shown<Value, Field>
    : never]?: JsonOf<Exclude<Value[Field], undefined>>
}

/** Fields of a type with an index signature, such as a `Record`, are never declared optional. */
type MayBeAbsent<Value, Field extends keyof Value> = string extends Field
  ? false
  : undefined extends Value[Field]
    ? true
    : false

type Shown<Value, Field extends keyof Value> = Field extends symbol | 'clientSecret'
  ? never
  : Field extends 'events'
    ? NonNullable<Value[Field]> extends object
      ? never
      : Field
    : Field
