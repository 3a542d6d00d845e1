import type { EventCount, EventStore } from '../../../ports/event-store.js'
import type { SyncConnection } from './database.js'
import {
  countAfter,
  eventsOfAppend,
  lastPosition,
  pageOfEvents,
  streamEvents,
} from './event-rows.js'

/** What a store answers from the table `events`. */
export const readLog = (
  connection: SyncConnection,
): Omit<EventStore & EventCount, 'append' | 'onAppend'> => ({
  readStream: (stream, afterVersion = 0) =>
    connection.query((database) => streamEvents(database, stream, afterVersion)),
  readAll: (after, limit) => connection.query((database) => pageOfEvents(database, after, limit)),
  countAfter: (after) => connection.query((database) => countAfter(database, after)),
  lastPosition: async () => BigInt(await connection.query(lastPosition)),
  findAppend: (by) => connection.read((database) => eventsOfAppend(database, by)),
})
