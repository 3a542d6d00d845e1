import { fieldOf } from '../domain/field-of.js'

/** Whether an append that failed may have been recorded nevertheless. */
export type FaultOutcome = 'not_recorded' | 'unknown'

/**
 * A store rejects with this error when it cannot work: it is locked, full, unreachable or closed.
 *
 * By `outcome`, an append was certainly not recorded and can be sent again, or it may have been recorded, which
 * `findAppend` shows. The library reads `outcome` and not the class, so a store of a host may reject with any
 * error that has one. In CommonJS each subpath has a class of its own: `instanceof` works with that of the
 * subpath of the store.
 */
export class StoreFault extends Error {
  override readonly name = 'StoreFault'
  /** Whether the append may have been recorded nevertheless. */
  readonly outcome: FaultOutcome

  /** How long to wait before another try, in milliseconds; absent when time will not help. */
  declare retryAfter?: number

  constructor(message: string, outcome: FaultOutcome, cause?: unknown) {
    super(message, { cause })
    this.outcome = outcome
  }
}

/** The `outcome` of a rejection; undefined when it has none. */
export const outcomeOf = (thrown: unknown): FaultOutcome | undefined => {
  const outcome = fieldOf(thrown, 'outcome')
  return outcome === 'not_recorded' || outcome === 'unknown' ? outcome : undefined
}

/** The `retryAfter` of a rejection; undefined when it has none. */
export const retryAfterOf = (thrown: unknown): number | undefined => {
  const retryAfter = fieldOf(thrown, 'retryAfter')
  return typeof retryAfter === 'number' ? retryAfter : undefined
}
