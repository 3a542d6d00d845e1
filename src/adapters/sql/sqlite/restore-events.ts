import type { RecordedEvent } from '../../../ports/event-store.js'
import { beginsAppend, checkRestore } from '../../store/check-restore.js'
import type { SyncDatabase } from './database.js'
import { insertEvent, isKeyUsed, lastEvent, versionOf } from './event-rows.js'

/**
 * Adds `events` to the log as they are, in a transaction that has begun.
 *
 * @param dataOf - the JSON that is stored as the data of an event
 * @throws InvalidRestore when they cannot be added
 */
export const restoreEvents = (
  database: SyncDatabase,
  events: readonly RecordedEvent[],
  dataOf: (event: RecordedEvent) => string,
): void => {
  let previous = lastEvent(database)
  const invalid = checkRestore(events, {
    last: previous,
    versionOf: (stream) => versionOf(database, stream),
    isKeyUsed: (key) => isKeyUsed(database, key),
  })
  if (invalid) throw invalid
  for (const event of events) {
    insertEvent(database, {
      event,
      data: dataOf(event),
      metadata: JSON.stringify(event.metadata),
      beginsAppend: beginsAppend(event, previous),
    })
    previous = event
  }
}
