import type { StreamId } from '../../../domain/values.js'
import type {
  EventCount,
  EventStore,
  Position,
  RecordedEvent,
  Version,
} from '../../../ports/event-store.js'
import { beginsAppend, checkRestore } from '../../store/check-append.js'
import { EVENT_COLUMNS, eventsOf } from '../stored-events.js'
import type { SyncConnection, SyncDatabase } from './dialect.js'

const STREAM = `SELECT ${EVENT_COLUMNS} FROM events WHERE stream = ? AND version > ? ORDER BY version`
const PAGE = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? ORDER BY position LIMIT ?`
const LAST = `SELECT ${EVENT_COLUMNS} FROM events ORDER BY position DESC LIMIT 1`
const LAST_POSITION = 'SELECT max(position) FROM events'
const COUNT = 'SELECT count(*) FROM events WHERE position > ?'
const VERSION = 'SELECT max(version) FROM events WHERE stream = ?'
const BEGIN_OF_ID = 'SELECT position FROM events WHERE append_id = ? AND begins_append = 1'
const BEGIN_OF_KEY = 'SELECT position FROM events WHERE idempotency_key = ?'
const NEXT_BEGIN =
  'SELECT position FROM events WHERE position > ? AND begins_append = 1 ORDER BY position LIMIT 1'
const RANGE = `SELECT ${EVENT_COLUMNS} FROM events WHERE position >= ? AND position < ? ORDER BY position`
const INSERT = `INSERT INTO events (${EVENT_COLUMNS}, begins_append, idempotency_key)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (stream, version) DO NOTHING`

/** The events of `stream` above `afterVersion`, oldest first. */
export const streamEvents = (
  database: SyncDatabase,
  stream: StreamId,
  afterVersion: Version,
): readonly RecordedEvent[] => eventsOf(database.rows(STREAM, stream, afterVersion))

/** At most `limit` events above `after`, lowest position first. */
export const pageOfEvents = (
  database: SyncDatabase,
  after: Position,
  limit: number,
): readonly RecordedEvent[] => {
  // As a number: an integer of more than 64 bits cannot be bound. For SQLite, a limit below 0 is no limit.
  return limit > 0 ? eventsOf(database.rows(PAGE, Number(after), limit)) : []
}

/** The last event; undefined when there is none. */
export const lastEvent = (database: SyncDatabase): RecordedEvent | undefined =>
  eventsOf(database.rows(LAST))[0]

/** Position of the last event; 0 when there is none. */
export const lastPosition = (database: SyncDatabase): number =>
  Number(database.value(LAST_POSITION))

/** How many events lie above `after`. */
export const countAfter = (database: SyncDatabase, after: Position): number =>
  Number(database.value(COUNT, Number(after)))

/** How many events `stream` holds. */
export const versionOf = (database: SyncDatabase, stream: StreamId): Version =>
  Number(database.value(VERSION, stream))

/** Whether an append was recorded under `idempotencyKey`. */
export const isKeyUsed = (database: SyncDatabase, idempotencyKey: string): boolean =>
  database.value(BEGIN_OF_KEY, idempotencyKey) !== undefined

/** What the append with this id, or under this key, recorded, in the order written. */
export const eventsOfAppend = (
  database: SyncDatabase,
  by: { readonly id: string } | { readonly idempotencyKey: string },
): readonly RecordedEvent[] => {
  const begin =
    'id' in by
      ? database.value(BEGIN_OF_ID, by.id)
      : database.value(BEGIN_OF_KEY, by.idempotencyKey)
  if (begin === undefined) return []
  // An append is recorded in one piece: it ends where the next one begins.
  const end = database.value(NEXT_BEGIN, begin) ?? Number.MAX_SAFE_INTEGER
  return eventsOf(database.rows(RANGE, begin, end))
}

/** An event to be inserted. */
export interface NewRow {
  readonly event: RecordedEvent
  /** The data of the event as JSON. */
  readonly data: string
  /** The metadata of the event as JSON. */
  readonly metadata: string
  readonly beginsAppend: boolean
}

/** Adds an event; false, with nothing added, when its stream already holds that version. */
export const insertEvent = (
  database: SyncDatabase,
  { event, data, metadata, beginsAppend }: NewRow,
): boolean =>
  database.run(
    INSERT,
    event.position,
    event.stream,
    event.version,
    event.type,
    event.schemaVersion,
    data,
    metadata,
    event.appendId,
    beginsAppend ? 1 : 0,
    beginsAppend ? (event.metadata.idempotencyKey ?? null) : null,
  )

/** Creates the table of the events, and its indexes. Never changed: files have been made by it. */
export const CREATE_EVENTS = `CREATE TABLE events (
     position INTEGER PRIMARY KEY,
     stream TEXT NOT NULL,
     version INTEGER NOT NULL,
     type TEXT NOT NULL,
     schema_version INTEGER NOT NULL,
     data TEXT NOT NULL,
     metadata TEXT NOT NULL,
     append_id TEXT NOT NULL,
     begins_append INTEGER NOT NULL,
     -- Of the event that begins an append, alone.
     idempotency_key TEXT,
     UNIQUE (stream, version)
   ) STRICT;
   CREATE INDEX events_append_id ON events (append_id) WHERE begins_append = 1;
   CREATE UNIQUE INDEX events_idempotency_key ON events (idempotency_key)
     WHERE idempotency_key IS NOT NULL;`

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
