import type { Position, RecordedEvent } from './event-store.js'

/** A view of the log that is fed with every event in the order of their positions. */
export interface Projection {
  /** Names the view and its checkpoint; unique among the projections of one host. */
  readonly name: string

  /** Position of the last event applied; `0n` before the first. */
  checkpoint(): Promise<Position>

  /**
   * Applies `events` and moves the checkpoint from `from` to the last of them: both or neither.
   *
   * @param events - in their newest versions, without a gap after `from`
   * @returns false, with nothing applied, when the checkpoint is no longer at `from`: another process moved it
   */
  apply(from: Position, events: readonly RecordedEvent[]): Promise<boolean>

  /**
   * Forgets everything and moves the checkpoint back to `0n`, so that the view can be rebuilt. Reads
   * that are under way may miss what was there.
   */
  reset(): Promise<void>
}
