import type { RecordedEvent } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { UnreadableEvent } from '../../ports/unreadable-event.js'
import { readEvent } from './read-event.js'

/** The events of a batch up to the first that cannot be read. */
export interface ReadBatch {
  readonly known: readonly KnownEvent[]
  readonly unreadable?: UnreadableEvent
}

/** Batches that were read before, which a read model need not read again. */
const alreadyRead = new WeakMap<readonly RecordedEvent[], readonly KnownEvent[]>()

/** Reads `events` up to the first that cannot be read. */
export const readBatch = (events: readonly RecordedEvent[]): ReadBatch => {
  const known: KnownEvent[] = []
  alreadyRead.set(known, known)
  for (const recorded of events) {
    const event = readEvent(recorded)
    if (event.isErr()) return { known, unreadable: event.error }
    known.push(event.value)
  }
  return { known }
}

/**
 * Reads all of `events`. Throws at the first that cannot be read, with the refusal as its `cause`: callers of a
 * read model have read them before, and stop there.
 */
export const readEvents = (events: readonly RecordedEvent[]): readonly KnownEvent[] => {
  const before = alreadyRead.get(events)
  if (before) return before
  const { known, unreadable } = readBatch(events)
  if (!unreadable) return known
  const { kind, position } = unreadable
  throw new Error(`${kind} at position ${position}`, { cause: unreadable })
}
