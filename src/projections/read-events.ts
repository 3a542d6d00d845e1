import type { RecordedEvent } from '../ports/event-store.js'
import type { KnownEvent } from './known-event.js'
import { readEvent } from './read-event.js'

/**
 * Reads all of `events`. Throws at the first that cannot be read, with the refusal as its `cause`:
 * whoever feeds a read model reads them first, and stops there.
 */
export const readEvents = (events: readonly RecordedEvent[]): readonly KnownEvent[] =>
  events.map((event) => {
    const read = readEvent(event)
    if (read.isOk()) return read.value
    const { kind, position } = read.error
    throw new Error(`${kind} at position ${position}`, { cause: read.error })
  })
