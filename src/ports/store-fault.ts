import { fieldOf } from '../domain/field-of.js'

/** Whether an append that failed may have been recorded all the same. */
export type FaultOutcome = 'not_recorded' | 'unknown'

/**
 * What a store rejects with when it cannot do its work: it is locked, full, away or closed.
 *
 * `outcome` tells whether an append was left unrecorded for certain, so that it can be sent again
 * blindly, or may have been recorded; then `findAppend` tells. The library goes by `outcome`, not by
 * the class, so a store of a host's own may reject with any error that has one. In CommonJS each
 * subpath has a class of its own: there `instanceof` holds with that of the subpath of the store.
 */
export class StoreFault extends Error {
  override readonly name = 'StoreFault'
  /** Whether an append may have been recorded all the same. */
  readonly outcome: FaultOutcome

  /** How long to wait before another try, in milliseconds; absent when time will not help. */
  declare retryAfter?: number

  constructor(message: string, outcome: FaultOutcome, cause?: unknown) {
    super(message, { cause })
    this.outcome = outcome
  }
}

/** The outcome that a rejection states; undefined when it states none. */
export const outcomeOf = (thrown: unknown): FaultOutcome | undefined => {
  const outcome = fieldOf(thrown, 'outcome')
  return outcome === 'not_recorded' || outcome === 'unknown' ? outcome : undefined
}

/** How long, in milliseconds, a rejection asks to wait; undefined when it does not say. */
export const retryAfterOf = (thrown: unknown): number | undefined => {
  const retryAfter = fieldOf(thrown, 'retryAfter')
  return typeof retryAfter === 'number' ? retryAfter : undefined
}
