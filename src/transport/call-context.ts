import { createContextKey, type HandlerContext } from '@connectrpc/connect'
import type { Caller, Context } from '../index.js'
import { IdentityProviderService } from './gen/claviger/v1/identity_provider_service_pb.js'
import { isWrite } from './http-rule.js'
import type { Edge } from './options.js'
import { malformed } from './status-error.js'
import { traceIdOf } from './trace-id.js'

/** Who calls, as `authenticate` made them out. */
export const callerKey = createContextKey<Caller | undefined>(undefined)

/** The context of the library that the headers of a call stand for. @throws ConnectError */
export const contextOf = (edge: Edge, call: HandlerContext): Context => {
  const { requestHeader: headers, signal, method } = call
  return {
    caller: call.values.get(callerKey),
    orgId: organizationOf(edge, call),
    expectedSequence: isWrite(method) ? expectedSequenceOf(headers.get('if-match')) : undefined,
    idempotencyKey: headers.get('idempotency-key') ?? undefined,
    correlationId: traceIdOf(headers),
    signal,
  }
}

/** Identity provider operations have no such header; empty counts as absent. Spec: Authentication. */
const organizationOf = (
  { organizationHeader }: Edge,
  { service, requestHeader }: HandlerContext,
): string | undefined =>
  service.typeName === IdentityProviderService.typeName
    ? undefined
    : requestHeader.get(organizationHeader) || undefined

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

/** The value that `If-Match` takes. */
export const etagOf = (sequence: bigint): string => `"${sequence}"`
