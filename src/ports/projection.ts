import type { Position, RecordedEvent } from './event-store.js'

/**
 * A view of the log: every event is applied to it in the order of positions. For PostgreSQL, use `postgresProjection`
 * of `claviger/postgres`.
 */
export interface Projection {
  /** Names the view and its checkpoint; unique among the projections of one host. */
  readonly name: string

  /**
   * Most events of one `apply`, from 1. The event loop gets a turn after each: set it where `apply` works without a
   * pause. Default: 2,000.
   */
  readonly batchSize?: number

  /** Position of the last event applied; `0n` before the first. */
  checkpoint(): Promise<Position>

  /**
   * Applies `events` and moves the checkpoint from `from` to the last of them: both or neither. If it throws, `run`
   * ends; after a `StoreFault`, or an error with the code of a lost connection or a similar fault, `run` tries again.
   *
   *
   *
   * @param events - each a `KnownEvent`, in its newest version, without a gap after `from`
   * @returns false, with nothing applied, when the checkpoint is no longer at `from`: another process moved it
   */
  apply(from: Position, events: readonly RecordedEvent[]): Promise<boolean>

  /**
   * Deletes all data of the view and moves the checkpoint back to `0n`, to rebuild the view. Concurrent reads may find
   * nothing.
   */
  reset(): Promise<void>
}

/** {@link Projection.batchSize} of projections that work in the process: some 10 ms of SQLite, and its write to the disk. */
export const IN_PROCESS_BATCH = 250
