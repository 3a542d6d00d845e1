import { err, ok } from 'neverthrow'
import type { StreamId } from '../../../domain/values.js'
import type {
  Append,
  EventCount,
  EventStore,
  IdempotencyKeyUsed,
  RecordedEvent,
  StreamWrite,
  Version,
  VersionConflict,
} from '../../../ports/event-store.js'
import type { Verdict } from '../../store/group-commit.js'
import {
  beginsAppend,
  checkRestore,
  dataAt,
  nextPosition,
  type PreparedAppend,
  recordEvents,
} from '../../store/record-events.js'
import { EVENT_COLUMNS, type EventRow, eventsOf } from '../stored-events.js'
import type { SyncConnection, SyncDatabase } from './dialect.js'

/** Creates the table of the events and its indexes. Never change it: existing files were made by it. */
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

const STREAM = `SELECT ${EVENT_COLUMNS} FROM events WHERE stream = ? AND version > ? ORDER BY version`
const PAGE = `SELECT ${EVENT_COLUMNS} FROM events WHERE position > ? ORDER BY position LIMIT ?`
const LAST = `SELECT ${EVENT_COLUMNS} FROM events ORDER BY position DESC LIMIT 1`
const LAST_POSITION = 'SELECT max(position) FROM events'
const COUNT = 'SELECT count(*) FROM events WHERE position > ?'
const VERSION = 'SELECT max(version) FROM events WHERE stream = ?'
const BEGIN_OF_ID = 'SELECT position FROM events WHERE append_id = ? AND begins_append = 1'
const BEGIN_OF_KEY = 'SELECT position FROM events WHERE idempotency_key = ?'
const STREAM_AT = 'SELECT 1 FROM events WHERE position = ? AND stream = ?'
const NEXT_BEGIN =
  'SELECT position FROM events WHERE position > ? AND begins_append = 1 ORDER BY position LIMIT 1'
const RANGE = `SELECT ${EVENT_COLUMNS} FROM events WHERE position >= ? AND position < ? ORDER BY position`
const INSERT = `INSERT INTO events (${EVENT_COLUMNS}, begins_append, idempotency_key)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (stream, version) DO NOTHING`

/** The reading half of a store in the table `events`. */
export const readLog = (
  connection: SyncConnection,
): Omit<
  EventStore & Required<Pick<EventStore, 'readStreams'>> & EventCount,
  'append' | 'onAppend'
> => ({
  readStream: (stream, afterVersion = 0) =>
    connection.query((database) => eventsOf(database.rows(STREAM, stream, afterVersion))),
  readStreams: (reads) =>
    connection.read((database) =>
      reads.map(({ stream, afterVersion }) =>
        eventsOf(database.rows(STREAM, stream, afterVersion)),
      ),
    ),
  readAll: (after, limit) =>
    connection.query((database) =>
      // For SQLite, a limit below 0 means no limit, and an integer of more than 64 bits cannot be bound.
      limit > 0 ? eventsOf(pageAfter(database, Number(after), limit)) : [],
    ),
  countAfter: (after) =>
    connection.query((database) => Number(database.value(COUNT, Number(after)))),
  lastPosition: async () => BigInt(await connection.query(lastPosition)),
  findAppend: (by) =>
    connection.read((database) => {
      const begin =
        'id' in by
          ? database.value(BEGIN_OF_ID, by.id)
          : database.value(BEGIN_OF_KEY, by.idempotencyKey)
      if (begin === undefined) return []
      // The events of an append are adjacent: it ends where the next one begins.
      const end = database.value(NEXT_BEGIN, begin) ?? Number.MAX_SAFE_INTEGER
      return eventsOf(database.rows(RANGE, begin, end))
    }),
})

/**
 * A page of the log. An invalid byte in the name of a stream is read as U+FFFD, though no stream of that name is found:
 * such a row is shown as damaged.
 */
const pageAfter = (database: SyncDatabase, after: number, limit: number) =>
  database.rows<EventRow<number>>(PAGE, after, limit).map((row): EventRow<number> => {
    const [position, stream, version, type, schemaVersion, , ...rest] = row
    const isFound =
      !stream.includes('\uFFFD') || database.value(STREAM_AT, position, stream) !== undefined
    return isFound ? row : [position, stream, version, type, schemaVersion, NOT_JSON, ...rest]
  })

const NOT_JSON = ''

/** Checks and writes each append of a group, in a transaction that has begun. */
export const writeGroup = (
  database: SyncDatabase,
  group: readonly PreparedAppend[],
  now: number,
  head = lastPosition(database),
): readonly Verdict[] => {
  const versions = knownVersions(database)
  let last = head
  return group.map((prepared) => {
    const refusal = refusalOf(database, prepared.append, versions)
    if (refusal) return err(refusal)
    const verdict = insertAppend(database, prepared, nextPosition(now, last))
    if (verdict.isOk()) last = Number(verdict.value.at(-1)?.position ?? last)
    return verdict
  })
}

/** Versions of streams, each read once: no append of a group writes a stream of another one. */
const knownVersions = (database: SyncDatabase): ((stream: StreamId) => Version) => {
  const known = new Map<StreamId, Version>()
  return (stream) => {
    const version = known.get(stream) ?? versionOf(database, stream)
    known.set(stream, version)
    return version
  }
}

/** Why an append is refused, except for conflicts that the unique index finds during the insert. */
const refusalOf = (
  database: SyncDatabase,
  { writes, metadata: { idempotencyKey } }: Append,
  versions: (stream: StreamId) => Version,
): VersionConflict | IdempotencyKeyUsed | undefined => {
  if (idempotencyKey !== undefined && isKeyUsed(database, idempotencyKey))
    return { kind: 'IdempotencyKeyUsed' }
  const isCurrent = (write: StreamWrite) => versions(write.stream) === write.expectedVersion
  const created = createdAlone(writes)
  if (writes.every((write) => write === created || isCurrent(write))) return undefined
  const outdated = writes.find((write) => !isCurrent(write))
  return outdated && { kind: 'VersionConflict', stream: outdated.stream }
}

/**
 * The write that creates a stream, when all others are guards. Its version need not be read: the unique index
 * finds a conflict when its first event is inserted, before any other.
 */
const createdAlone = (writes: readonly StreamWrite[]): StreamWrite | undefined => {
  const [written, ...others] = writes.filter(({ events }) => events.length > 0)
  return others.length === 0 && written?.expectedVersion === 0 ? written : undefined
}

const insertAppend = (database: SyncDatabase, prepared: PreparedAppend, first: number): Verdict => {
  const { append, metadata } = prepared
  const recorded = recordEvents(append, first)
  for (const [index, event] of recorded.entries()) {
    const row = { event, data: dataAt(prepared, index), metadata, beginsAppend: index === 0 }
    if (insertEvent(database, row)) continue
    if (index === 0) return err({ kind: 'VersionConflict', stream: event.stream })
    throw new Error(`The stream ${event.stream} holds a version above its last`)
  }
  return ok(recorded)
}

/**
 * Adds `events` to the log as they are, in a transaction that has begun.
 *
 * @param dataOf - returns the text that is stored as the data of an event
 * @throws InvalidRestore when they cannot be added
 */
export const restoreEvents = (
  database: SyncDatabase,
  events: readonly RecordedEvent[],
  dataOf: (event: RecordedEvent) => string,
): void => {
  let [previous] = eventsOf(database.rows(LAST))
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

/** Position of the last event; 0 without one. */
const lastPosition = (database: SyncDatabase): number => Number(database.value(LAST_POSITION))

const versionOf = (database: SyncDatabase, stream: StreamId): Version =>
  Number(database.value(VERSION, stream))

const isKeyUsed = (database: SyncDatabase, idempotencyKey: string): boolean =>
  database.value(BEGIN_OF_KEY, idempotencyKey) !== undefined

/** Adds an event; false, with nothing added, when its stream already has that version. */
const insertEvent = (
  database: SyncDatabase,
  row: {
    readonly event: RecordedEvent
    /** The data and the metadata of the event as JSON. */
    readonly data: string
    readonly metadata: string
    readonly beginsAppend: boolean
  },
): boolean => {
  const { event, data, metadata, beginsAppend } = row
  return database.run(
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
}
