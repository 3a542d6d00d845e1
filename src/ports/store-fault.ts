/**
 * What a store rejects with when it cannot do its work: it is locked, full, away or closed.
 *
 * `outcome` tells whether an append was left unrecorded for certain, so that it can be sent again
 * blindly, or may have been recorded; then `findAppend` tells.
 */
export class StoreFault extends Error {
  override readonly name = 'StoreFault'
  readonly outcome: 'not_recorded' | 'unknown'

  constructor(message: string, outcome: StoreFault['outcome'], cause?: unknown) {
    super(message, { cause })
    this.outcome = outcome
  }
}

/**
 * Whether `error` is a {@link StoreFault}. Asks by name, for a program may hold two copies of the
 * class: one per subpath of the package that it loads as CommonJS.
 */
export const isStoreFault = (error: unknown): error is StoreFault =>
  error instanceof Error && error.name === 'StoreFault' && 'outcome' in error
