import { type AnyError, type Status, toStatus } from './to-status.js'

interface RpcCode {
  readonly name: string
  readonly httpStatus: number
}

/** The google.rpc codes that the library and its transport use. Spec: Errors, for 400, 403, 404 and 409. */
export const RPC_CODES: Readonly<Record<number, RpcCode>> = {
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
  16: { name: 'UNAUTHENTICATED', httpStatus: 401 },
}

/**
 * The HTTP status with which `claviger/transport` answers an error, or a {@link Status} of that code.
 * Spec: Errors.
 */
export const httpStatusOf = (error: AnyError | Pick<Status, 'code'>): number => {
  const { code } = 'kind' in error ? toStatus(error) : error
  return RPC_CODES[code]?.httpStatus ?? 500
}
