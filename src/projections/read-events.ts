import type { RecordedEvent } from '../ports/event-store.js'
import type { KnownEvent } from './known-event.js'
import { readEvent } from './read-event.js'

/**
 * Reads all of `events`. Throws at the first that cannot be read, with the refusal as its `cause`:
 * whoever feeds a read model reads them first, and stops there.
 */
export const readEvents = (events: readonly RecordedEvent[]): readonly KnownEvent[] =>
  events.map((event) =>
    readEvent(event).match(
      (known) => known,
      (refusal) => {
        throw new Error(`${refusal.kind} at position ${refusal.position}`, { cause: refusal })
      },
    ),
  )
