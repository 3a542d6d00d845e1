import { createRegistry, fromJsonString } from '@bufbuild/protobuf'
import { type Code, ConnectError } from '@connectrpc/connect'
import { codeToString } from '@connectrpc/connect/protocol-connect'
import { type Status, type StatusDetail, toStatus, type Violation } from '../../index.js'
import { file_google_rpc_error_details } from '../gen/google/rpc/error_details_pb.js'
import { fewOf } from './few-violations.js'

/** What `@type` of a detail begins with, before the name of its message. */
export const TYPE_PREFIX = 'type.googleapis.com/'

/** The status of an error that the library does not have; its reason is the name of the code, unless given. */
export const transportStatus = (
  code: Code,
  message: string,
  reason: string = codeToString(code).toUpperCase(),
): Status => ({
  code,
  message,
  details: [
    { '@type': `${TYPE_PREFIX}google.rpc.ErrorInfo`, reason, domain: 'claviger', metadata: {} },
  ],
})

const DETAILS = createRegistry(file_google_rpc_error_details)

/** The error as ConnectRPC sends it in each of its protocols. Spec: Errors. */
export const statusError = (status: Status): ConnectError => {
  const { code, message, details } = status
  const error = new ConnectError(message, code, undefined, details.flatMap(outgoing))
  statuses.set(error, status)
  return error
}

const statuses = new WeakMap<object, Status>()

/** What {@link statusError} was given; undefined of any other error, which may hold what no client may see. */
export const statusOf = (thrown: unknown): Status | undefined =>
  typeof thrown === 'object' && thrown !== null ? statuses.get(thrown) : undefined

/** {@link statusError} of a request that is malformed. */
export const malformed = (violation: Violation): ConnectError => invalidArgument(fewOf([violation]))

/** @throws ConnectError where there is any violation */
export const refuseMalformed = (violations: Iterable<Violation>): void => {
  const few = fewOf(violations)
  if (few.length > 0) throw invalidArgument(few)
}

const invalidArgument = (violations: readonly Violation[]): ConnectError =>
  statusError(toStatus({ kind: 'InvalidArgument', violations }))

const outgoing = ({ '@type': type, ...fields }: StatusDetail) => {
  const desc = DETAILS.getMessage(type.slice(TYPE_PREFIX.length))
  return desc ? [{ desc, value: fromJsonString(desc, JSON.stringify(fields)) }] : []
}
