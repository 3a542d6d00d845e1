import type {
  EventCount,
  EventRestore,
  EventStore,
  Position,
  RecordedEvent,
} from '../../ports/event-store.js'
import type { SyncConnection, SyncDatabase } from '../sql/sqlite/dialect.js'
import { readLog, restoreEvents } from '../sql/sqlite/event-log.js'
import { writeGroup } from '../sql/sqlite/write-group.js'
import { storedJson } from '../sql/stored-events.js'
import { exceedsBytes } from '../store/check-append.js'
import type { Verdict } from '../store/group-commit.js'
import {
  type listeners,
  type MicrosecondClock,
  type PreparedAppend,
  prepareAppend,
} from '../store/record-events.js'

/** What a store in the storage of an object needs. */
export interface LogHome {
  readonly connection: SyncConnection
  readonly clock: MicrosecondClock
  /** Shared by all stores in the same storage. */
  readonly listeners: ReturnType<typeof listeners>
}

/**
 * A store in the table `events` of an object. Each append is written when it is sent: what one turn of the object
 * writes reaches the disk together.
 */
export const durableObjectEventStore = ({
  connection,
  clock,
  listeners: { add, wakeAll },
}: LogHome): EventStore & EventRestore & EventCount => {
  const log = readLog(connection)
  const whole = async (found: ReturnType<typeof log.readAll>) => {
    const events = await found
    return connection.query((database) => withLongData(database, events))
  }

  return {
    ...log,
    readStream: (stream, afterVersion) => whole(log.readStream(stream, afterVersion)),
    readAll: (after, limit) => whole(log.readAll(after, limit)),
    findAppend: (by) => whole(log.findAppend(by)),
    append: async (append) => {
      const prepared = prepareAppend(append)
      const verdict = await connection.write((database) => write(database, prepared, clock()))
      wakeAll()
      return verdict
    },
    onAppend: add,
    restore: async (events) => {
      await connection.write((database) =>
        restoreEvents(database, events, ({ position, data }) => {
          const json = JSON.stringify(data)
          insertLongData(database, position, json)
          return dataInRow(json)
        }),
      )
      wakeAll()
    },
  }
}

const write = (database: SyncDatabase, prepared: PreparedAppend, now: number): Verdict => {
  const inRows = { ...prepared, data: prepared.data.map(dataInRow) }
  const [verdict] = writeGroup(database, [inRows], now)
  if (verdict === undefined) throw new Error('The append was left unanswered')
  if (verdict.isOk())
    for (const [index, { position }] of verdict.value.entries())
      insertLongData(database, position, prepared.data[index] ?? '')
  return verdict
}

/** Most bytes of data that the row of an event has; all of a row may have 2 MB. */
const MAX_DATA_BYTES = 1_000_000

/** Most UTF-16 units of a part of longer data; each takes at most three bytes. */
const PART_LENGTH = 500_000

/** The table of the parts of long data. */
export const PARTS = 'event_parts'

/** Creates it. Never changed: objects have been made by it. */
export const CREATE_PARTS = `CREATE TABLE ${PARTS} (
     position INTEGER NOT NULL,
     nth INTEGER NOT NULL,
     part TEXT NOT NULL,
     PRIMARY KEY (position, nth)
   ) STRICT;`

/** What the row of an event holds: its data, or an empty text, which is no JSON, when they are too long. */
export const dataInRow = (json: string): string => (exceedsBytes(json, MAX_DATA_BYTES) ? '' : json)

/** Stores the data of the event at `position` in parts, if they are too long for its row. */
export const insertLongData = (database: SyncDatabase, position: Position, json: string): void => {
  if (dataInRow(json) === json) return
  for (const [nth, part] of partsOf(json).entries())
    database.run(`INSERT INTO ${PARTS} (position, nth, part) VALUES (?, ?, ?)`, position, nth, part)
}

/** Parts of `text` that are well-formed: none ends within a character. */
const partsOf = (text: string): readonly string[] => {
  const parts: string[] = []
  for (let begin = 0; begin < text.length; ) {
    const end = begin + PART_LENGTH
    const isWithin = (text.codePointAt(end - 1) ?? 0) > 0xffff
    parts.push(text.slice(begin, isWithin ? end - 1 : end))
    begin += parts.at(-1)?.length ?? 0
  }
  return parts
}

/** `events` with the data of those that are stored in parts; data that are damaged stay undefined. */
export const withLongData = (
  database: SyncDatabase,
  events: readonly RecordedEvent[],
): readonly RecordedEvent[] =>
  events.some(({ data }) => data === undefined)
    ? events.map((event) =>
        event.data === undefined ? { ...event, data: longData(database, event.position) } : event,
      )
    : events

const longData = (database: SyncDatabase, position: Position): ReturnType<typeof JSON.parse> => {
  const sql = `SELECT part FROM ${PARTS} WHERE position = ? ORDER BY nth`
  const parts = database.rows<readonly [part: string]>(sql, position)
  return storedJson(parts.join(''))
}
