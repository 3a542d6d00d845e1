import { RPC_CODES } from './rpc-codes.js'
import { type AnyError, type Status, toStatus } from './to-status.js'

/**
 * The HTTP status with which `claviger/transport` answers an error, or a {@link Status} of that code.
 * Spec: Errors.
 */
export const httpStatusOf = (error: AnyError | Pick<Status, 'code'>): number => {
  const { code } = 'kind' in error ? toStatus(error) : error
  return RPC_CODES[code]?.httpStatus ?? 500
}
