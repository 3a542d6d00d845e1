import type { StreamId } from '../../../domain/values.js'
import type { Position, RecordedEvent, Version } from '../../../ports/event-store.js'
import { EVENT_COLUMNS, eventsOf } from '../stored-events.js'
import type { SyncDatabase } from './database.js'

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
