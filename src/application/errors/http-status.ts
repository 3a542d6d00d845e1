import { RPC_CODES } from './rpc-codes.js'
import { type AnyError, type Status, toStatus } from './to-status.js'

/**
 * The HTTP status that `claviger/transport` answers an error with; also of a {@link Status}, by its code.
 * Spec: Errors.
 */
export const httpStatusOf = (error: AnyError | Pick<Status, 'code'>): number => {
  const { code } = 'kind' in error ? toStatus(error) : error
  return RPC_CODES[code]?.httpStatus ?? 500
}
