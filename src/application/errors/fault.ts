import { retryAfterOf } from '../../ports/store-fault.js'
import type { IamError, Unavailable } from './errors.js'

/**
 * Carries an error past code that cannot go on without what it asked for, up to the public method
 * that returns it. Anything else that is thrown is a bug of ours and stays one.
 */
export class Fault extends Error {
  override readonly name = 'Fault'
  readonly error: IamError

  constructor(error: IamError) {
    super(error.kind)
    this.error = error
  }
}

/** Runs a call of a port that records nothing of ours; what it throws becomes a {@link Fault}. */
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

/** What a {@link Fault} carries. @throws whatever else it is given */
export const errorOf = (thrown: unknown): IamError => {
  if (thrown instanceof Fault) return thrown.error
  throw thrown
}
