import type { Caller, Context } from '../../index.js'
import { type Call, traceIdOf } from '../errors/call.js'
import { malformed } from '../errors/status-error.js'
import { IdentityProviderService } from '../gen/claviger/v1/identity_provider_service_pb.js'
import type { ResolvedOptions } from '../options.js'
import type { Operation } from './operation.js'

/** Who calls, and what. */
interface Asking {
  readonly caller: Caller | undefined
  readonly operation: Pick<Operation, 'effect'>
}

/** The context of the library that the headers of a call stand for. @throws ConnectError */
export const contextOf = (
  options: ResolvedOptions,
  call: Call,
  { caller, operation }: Asking,
): Context => {
  const { requestHeader: headers, signal } = call
  const isWrite = operation.effect !== 'none'
  return {
    caller,
    orgId: organizationOf(headers.get(options.organizationHeader), call, caller),
    expectedSequence: isWrite ? expectedSequenceOf(headers.get('if-match')) : undefined,
    idempotencyKey: isWrite ? idempotencyKeyOf(headers.get('idempotency-key')) : undefined,
    correlationId: traceIdOf(headers),
    signal,
  }
}

/**
 * Empty counts as absent. Identity provider operations act in the caller's own organization: there the
 * header may name no other. Spec: Authentication.
 */
const organizationOf = (
  header: string | null,
  { method }: Call,
  caller: Caller | undefined,
): string | undefined => {
  const orgId = header || undefined
  if (orgId?.includes(','))
    throw malformed({ field: 'orgId', description: 'must be one organization, given once' })
  const isOwnAlone = method.parent.typeName === IdentityProviderService.typeName
  if (!isOwnAlone || orgId === undefined || orgId === caller?.orgId) return orgId
  const description = "must be the caller's own organization, or absent, on identity providers"
  throw malformed({ field: 'orgId', description })
}

/** Header fields of one name may be joined by a comma on the way (RFC 9110, section 5.3), so no key has one. */
const idempotencyKeyOf = (value: string | null): string | undefined => {
  if (!value?.includes(',')) return value ?? undefined
  const description = 'must be one key, given once and without a comma'
  throw malformed({ field: 'idempotencyKey', description })
}

/**
 * `*` asks only that there is an object, which every write does. A proxy that compresses an answer marks
 * its tag as weak, or appends `-gzip`: it still tells the version of the object.
 */
const expectedSequenceOf = (ifMatch: string | null): bigint | undefined => {
  if (ifMatch === null || ifMatch === '*') return undefined
  const sequence = /^(?:W\/)?"(\d{1,20})(?:-[-\w]+)?"$/.exec(ifMatch)?.[1]
  if (sequence !== undefined) return BigInt(sequence)
  const description = 'must be one ETag as it was answered, in quotation marks, or *'
  throw malformed({ field: 'expectedSequence', description })
}
