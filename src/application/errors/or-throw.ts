import type { Result } from 'neverthrow'
import { type AnyError, RPC_CODES, type Status, toStatus } from './to-status.js'

/**
 * The exception of {@link orThrow}. Its message has the kind, the google.rpc code and, for malformed input,
 * each field. Its `cause` is what a port of the host threw.
 */
export class IamFailure extends Error {
  override readonly name = 'IamFailure'
  /** As `toStatus` gives it. */
  readonly status: Status
  readonly #error: AnyError

  constructor(error: AnyError) {
    const status = toStatus(error)
    super(messageOf(error, status), 'cause' in error ? { cause: error.cause } : undefined)
    this.status = status
    this.#error = error
  }

  /** The error of the method. A getter, so that JSON and logs leave it out: it may hold a `bigint`. */
  get error(): AnyError {
    return this.#error
  }
}

const messageOf = (error: AnyError, { code, message }: Status): string => {
  const summary = `${error.kind} (${RPC_CODES[code]?.name ?? code}): ${message}`
  if (error.kind !== 'InvalidArgument') return summary
  const fields = error.violations.map(({ field, description }) => `${field} ${description}`.trim())
  return `${summary}: ${fields.join('; ')}`
}

const unwrap = <Value>(result: Result<Value, AnyError>): Value => {
  if (result.isErr()) throw new IamFailure(result.error)
  return result.value
}

// An async function, so that the stack of the exception includes the caller that awaits it.
const unwrapAwaited = async <Value, Failure extends AnyError>(
  result: PromiseLike<Result<Value, Failure>>,
) => unwrap(await result)

/**
 * For scripts and tests: the value of a result.
 *
 * @throws IamFailure when the result is an error
 */
export function orThrow<Value, Failure extends AnyError>(result: Result<Value, Failure>): Value
/**
 * For scripts and tests: the value that a method answers. Rejects with an {@link IamFailure} when it answers
 * with an error.
 */
export function orThrow<Value, Failure extends AnyError>(
  result: PromiseLike<Result<Value, Failure>>,
): Promise<Value>
export function orThrow<Value, Failure extends AnyError>(
  result: Result<Value, Failure> | PromiseLike<Result<Value, Failure>>,
): Value | Promise<Value> {
  return 'then' in result ? unwrapAwaited(result) : unwrap(result)
}
