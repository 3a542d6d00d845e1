import { err, type Result } from 'neverthrow'
import { retryAfterOf } from '../../ports/store-fault.js'
import type { IamError, Unavailable } from './errors.js'

/**
 * Carries an error to the public method that returns it, past code that cannot continue. Any other
 * exception is a bug in the library and stays an exception.
 */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly error: IamError

  constructor(error: IamError) {
    super(error.kind)
    this.error = error
  }
}

/** Calls a port without recording anything; an exception becomes a {@link Fault}. */
export const fromPort = async <Value>(call: () => Promise<Value> | Value): Promise<Value> => {
  try {
    return await call()
  } catch (cause) {
    throw unavailable(cause, 'not_recorded')
  }
}

/** The fault of a port that threw `cause`. */
export const unavailable = (cause: unknown, outcome: Unavailable['outcome']): Fault => {
  if (cause instanceof Fault) return cause
  const retryAfter = retryAfterOf(cause)
  return new Fault({
    kind: 'Unavailable',
    outcome,
    ...(retryAfter !== undefined && { retryAfter }),
    cause,
  })
}

/** The error of a {@link Fault}. @throws any other exception */
export const errorOf = (thrown: unknown): IamError => {
  if (thrown instanceof Fault) return thrown.error
  throw thrown
}

/** The result of `work`; a {@link Fault} that it throws becomes an error. */
export const catchFaults = async <Value, Failure>(
  work: () => Promise<Result<Value, Failure>>,
): Promise<Result<Value, Failure | IamError>> => {
  try {
    return await work()
  } catch (thrown) {
    return err(errorOf(thrown))
  }
}
