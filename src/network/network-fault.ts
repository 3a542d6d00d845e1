/** Why a URL, or the answer to a request, was not taken. */
export type NetworkReason =
  /** The URL is malformed, not `https`, or names an address that is not allowed. */
  | 'address'
  /** A redirect, which is never followed. */
  | 'redirect'
  /** No whole answer in time. */
  | 'timeout'
  /** More bytes than are taken. */
  | 'too_large'
  /** No connection, or one that broke. */
  | 'network'

/** A request that got no answer, or one that was not taken. Its message holds nothing of what was sent. */
export class NetworkFault extends Error {
  override readonly name = 'NetworkFault'
  readonly reason: NetworkReason

  constructor(reason: NetworkReason) {
    super(reason)
    this.reason = reason
  }
}
