import type { Position, RecordedEvent } from '../../ports/event-store.js'
import type { FoundAtHead } from '../../ports/read-model.js'

/** Most events that are applied in one statement. */
export const MAX_EVENTS_OF_ONE_STATEMENT = 100

/** The events that this process has recorded since the read model was at the head, as long as nothing else was recorded. */
export interface OwnEvents {
  /** Sees an append. @param before - the last event before it; another process may have added some since */
  readonly recorded: (before: Position, events: readonly RecordedEvent[]) => void
  /** Sees the positions beside the result of a read. */
  readonly read: (at: Pick<FoundAtHead<unknown>, 'head' | 'reached'>) => void
  /** Sees that this process has applied all events to a position. */
  readonly applied: (reached: Position) => void
  /** Forgets all, until this process itself applies events: another one may be faster each time. */
  readonly forget: () => void
  /** Undefined without any. */
  readonly batch: () => OwnBatch | undefined
}

/** Own events, and the checkpoint that they follow. */
interface OwnBatch {
  readonly from: Position
  readonly events: readonly RecordedEvent[]
}

export const ownEvents = (): OwnEvents => {
  let reached: Position = 0n
  let events: readonly RecordedEvent[] = []
  let othersApply = false

  const begin = (at: Position): void => {
    reached = at
    events = []
  }
  const last = (): Position => events.at(-1)?.position ?? reached

  return {
    recorded: (before, added) => {
      if ((added.at(-1)?.position ?? 0n) <= reached || othersApply) return
      const isNext =
        before === last() && events.length + added.length <= MAX_EVENTS_OF_ONE_STATEMENT
      if (isNext) events = [...events, ...added]
      else begin(0n)
    },
    read: ({ head, reached: at }) => {
      if (at === head && at >= last()) begin(at)
    },
    applied: (to) => {
      othersApply = false
      events = events.filter(({ position }) => position > to)
      reached = to
    },
    forget: () => {
      othersApply = true
      begin(0n)
    },
    batch: () => (reached > 0n && events.length > 0 ? { from: reached, events } : undefined),
  }
}

/**
 * Applies own events for all reads that wait for them.
 *
 * @param apply - false when something else was recorded or applied
 */
export const applyingOwn = (
  own: OwnEvents,
  apply: (batch: OwnBatch) => Promise<boolean>,
): (() => Promise<readonly RecordedEvent[]>) => {
  let running: Promise<readonly RecordedEvent[]> | undefined
  const tryOnce = async (): Promise<readonly RecordedEvent[]> => {
    const batch = own.batch()
    // The read that follows catches up, and reports what fails again.
    if (batch && (await apply(batch).catch(() => false))) return batch.events
    if (batch) own.forget()
    return []
  }
  return async () => {
    // It may have begun before the last append.
    await running
    if (own.batch() === undefined) return []
    if (running) {
      await running
      return []
    }
    running = tryOnce().finally(() => {
      running = undefined
    })
    return running
  }
}
