/** The progress of one endpoint. */
export interface StoredCursor {
  /** The last written state; absent before the first write. */
  readonly state?: string
  /** Number of writes; 0 before the first. */
  readonly version: number
  /** The lease, until it ends or is released. */
  readonly lease?: {
    /** The process that has it. */
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
  /** The write needs the lease of this holder; without a holder it ignores leases. */
  readonly holder?: string
}

/**
 * Stores the progress of webhook endpoints, and which process sends to each. Several processes share it. One clock,
 * such as the database's, measures the leases, so the clocks of the processes do not matter.
 */
export interface WebhookCursors {
  /** Returns the progress of an endpoint; version 0 before the first write. */
  read(endpoint: string): Promise<StoredCursor>

  /**
   * Gives the lease of an endpoint to `holder` for `milliseconds` from now, or renews it.
   *
   * @returns the progress; undefined, with nothing changed, while another holder has the lease
   */
  lease(endpoint: string, holder: string, milliseconds: number): Promise<StoredCursor | undefined>

  /**
   * Replaces the state, and raises the version by one.
   *
   * @returns false, with nothing changed, when the version is another one, or `holder` has no lease
   */
  write(endpoint: string, write: CursorWrite): Promise<boolean>

  /** Ends the lease of an endpoint if `holder` has it. */
  release(endpoint: string, holder: string): Promise<void>

  /** Returns the names of all endpoints with a state, in any order. Only `copyEvents` needs it. */
  endpoints?(): Promise<readonly string[]>
}

/** Cursors that name all endpoints, as `copyEvents` needs them. */
export interface ListedCursors extends WebhookCursors {
  /** The names of all endpoints with a state, in any order. */
  endpoints(): Promise<readonly string[]>
}
