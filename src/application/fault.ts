import { StoreFault } from '../ports/store-fault.js'
import type { CorruptEvent, UnknownEvent } from '../ports/unreadable-event.js'
import type { SecretUnreadable } from '../ports/secret-cipher.js'
import type { IamError, Unavailable } from './errors.js'

/**
 * Carries a fault past code that cannot go on, up to the public method that returns it as an
 * {@link IamError}. Anything else that is thrown is a bug of ours and stays one.
 */
export class Fault extends Error {
  override readonly name = 'Fault'

  constructor(readonly error: Unavailable | UnknownEvent | CorruptEvent | SecretUnreadable) {
    super(error.kind)
  }
}

/** Runs a call of a port; what it throws becomes a {@link Fault}. */
export const fromPort = async <Value>(call: () => Promise<Value> | Value): Promise<Value> => {
  try {
    return await call()
  } catch (cause) {
    throw unavailable(cause, 'not_recorded')
  }
}

/** The fault of a port that threw `cause`; a store may know its `outcome` better. */
export const unavailable = (cause: unknown, outcome: Unavailable['outcome']): Fault =>
  cause instanceof Fault
    ? cause
    : new Fault({
        kind: 'Unavailable',
        outcome: cause instanceof StoreFault ? cause.outcome : outcome,
        cause,
      })

/** What a {@link Fault} carries. @throws whatever else it is given */
export const errorOf = (thrown: unknown): IamError => {
  if (thrown instanceof Fault) return thrown.error
  throw thrown
}
