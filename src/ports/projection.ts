import type { Position, RecordedEvent } from './event-store.js'

/**
 * A view of the log, to which every event is applied in the order of their positions. In PostgreSQL:
 * `postgresProjection` of `claviger/postgres`.
 */
export interface Projection {
  /** Names the view and its checkpoint; unique among the projections of one host. */
  readonly name: string

  /** Position of the last event applied; `0n` before the first. */
  checkpoint(): Promise<Position>

  /**
   * Applies `events` and moves the checkpoint from `from` to the last of them: both or neither.
   *
   * When it throws, it refuses an event, and `run` ends. A `StoreFault`, or an error with the code of a lost
   * connection or the like, is a fault that passes: `run` tries again.
   *
   * @param events - each a `KnownEvent`, in its newest version, without a gap after `from`
   * @returns false, with nothing applied, when the checkpoint is no longer at `from`: another process moved it
   */
  apply(from: Position, events: readonly RecordedEvent[]): Promise<boolean>

  /**
   * Removes everything and moves the checkpoint back to `0n`, so that the view can be rebuilt. Reads at the
   * same time may miss what was there.
   */
  reset(): Promise<void>
}
