/** Whether an append that failed may have been recorded all the same. */
export type FaultOutcome = 'not_recorded' | 'unknown'

/**
 * What a store rejects with when it is out of order. Recognised by its `outcome`, so that a store
 * of a host's own may reject with any error that has one.
 */
export class StoreFault extends Error {
  override readonly name = 'StoreFault'
  readonly outcome: FaultOutcome

  constructor(
    message: string,
    options: { readonly outcome: FaultOutcome; readonly cause?: unknown },
  ) {
    super(message, { cause: options.cause })
    this.outcome = options.outcome
  }
}

/** The outcome that a rejection states; undefined when it states none. */
export const outcomeOf = (thrown: unknown): FaultOutcome | undefined => {
  if (typeof thrown !== 'object' || thrown === null || !('outcome' in thrown)) return undefined
  const { outcome } = thrown
  return outcome === 'not_recorded' || outcome === 'unknown' ? outcome : undefined
}
