/** What is kept of an endpoint. */
export interface StoredCursor {
  /** As it was written; absent before the first write. */
  readonly state?: string
  /** Number of writes; 0 before the first. */
  readonly version: number
  /** The lease, until it ends or is released. */
  readonly lease?: {
    /** Who has it. */
    readonly holder: string
    /** How much of it remains, in milliseconds; above 0. */
    readonly remaining: number
  }
}

/** A write to a cursor. */
export interface CursorWrite {
  /** Any text, at most 1 MiB. */
  readonly state: string
  /** The version that it replaces. */
  readonly version: number
  /** Who writes under a lease; without it, the lease is not looked at. */
  readonly holder?: string
}

/**
 * Keeps how far the endpoints of webhooks are, and who sends to each. Several processes share it. Leases are measured
 * by one clock, that of the database for example, so the clocks of the processes do not matter.
 */
export interface WebhookCursors {
  /** What is kept of an endpoint: version 0 when nothing is. */
  read(endpoint: string): Promise<StoredCursor>

  /**
   * Gives the lease of an endpoint to `holder` for `milliseconds` from now, also when `holder` has it already.
   *
   * @returns what is kept; undefined, with nothing changed, while another holder has the lease
   */
  lease(endpoint: string, holder: string, milliseconds: number): Promise<StoredCursor | undefined>

  /**
   * Replaces the state, and raises the version by one.
   *
   * @returns false, with nothing changed, when the version is another one, or `holder` is given and has no lease
   */
  write(endpoint: string, write: CursorWrite): Promise<boolean>

  /** Ends the lease of an endpoint if `holder` has it. */
  release(endpoint: string, holder: string): Promise<void>
}
