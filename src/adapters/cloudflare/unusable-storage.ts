/**
 * The storage of an object that `durableObjectStore` must not use:
 *
 * - `foreign`: it has a table of the host's with a name of ours;
 * - `newer`: a newer version of this library wrote it.
 */
export class UnusableStorage extends Error {
  override readonly name = 'UnusableStorage'
  /** Why it must not be used, as listed above. */
  readonly reason: 'foreign' | 'newer'

  constructor(reason: UnusableStorage['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}
