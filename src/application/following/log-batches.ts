import type { EventStore, Position, RecordedEvent } from '../../ports/event-store.js'
import { callPort, yieldToEventLoop } from '../waiting.js'

/** Most events that are read at once. */
const BATCH_SIZE = 1_000

/** Consecutive events of a log. */
interface LogBatch {
  /** At least one. */
  readonly events: readonly RecordedEvent[]
  /** Position of the last of them. */
  readonly position: Position
}

/**
 * Reads the log of `store` above the position `after`, batch by batch.
 *
 * @throws Fault when the store fails, or as soon as `signal` aborts
 */
export async function* logBatches(
  store: EventStore,
  after: Position,
  signal: AbortSignal | undefined,
): AsyncGenerator<LogBatch, void, void> {
  let position = after
  for (;;) {
    const from = position
    const events = await callPort(() => store.readAll(from, BATCH_SIZE), signal)
    const last = events.at(-1)
    if (last === undefined) return
    position = last.position
    yield { events, position }
    await yieldToEventLoop()
  }
}
