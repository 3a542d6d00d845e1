import type {
  EventCount,
  EventRestore,
  EventStore,
  Position,
  RecordedEvent,
} from '../../ports/event-store.js'
import type { SyncConnection, SyncDatabase } from '../sql/sqlite/dialect.js'
import { readLog, restoreEvents, writeGroup } from '../sql/sqlite/event-log.js'
import { storedJson } from '../sql/stored-events.js'
import type { Verdict } from '../store/group-commit.js'
import { orRollBack, runSynchronously, verdictOf } from '../store/in-transaction.js'
import {
  dataAt,
  exceedsBytes,
  type listeners,
  type MicrosecondClock,
  type PreparedAppend,
  prepareAppend,
} from '../store/record-events.js'

/**
 * A store in the table `events` of an object. Each append is written when it is sent: the runtime writes all
 * changes of one turn to the disk together.
 *
 * @param listeners - shared by all stores in the same storage
 * @param host - the kind of its transactions, and the client for statements of the host
 */
export const durableObjectEventStore = (
  connection: SyncConnection,
  clock: MicrosecondClock,
  { add, wakeAll }: ReturnType<typeof listeners>,
  host: { readonly transactions: string; readonly client: unknown },
): EventStore & EventRestore & EventCount => {
  const log = readLog(connection)
  const withParts = async (reading: Promise<readonly RecordedEvent[]>) => {
    const events = await reading
    return connection.query((database) => withLongData(database, events))
  }

  return {
    ...log,
    readStream: (stream, afterVersion) => withParts(log.readStream(stream, afterVersion)),
    readStreams: async (reads) => {
      const streams = await log.readStreams(reads)
      return connection.query((database) => streams.map((events) => withLongData(database, events)))
    },
    readAll: (after, limit) => withParts(log.readAll(after, limit)),
    findAppend: (by) => withParts(log.findAppend(by)),
    append: async (append) => {
      const prepared = prepareAppend(append)
      const verdict = await verdictOf(
        connection.write((database) => {
          if (append.inTransaction) runSynchronously(append.inTransaction, host.client)
          return orRollBack(write(database, prepared, clock()))
        }),
      )
      wakeAll()
      return verdict
    },
    transactions: host.transactions,
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

const write = (
  database: SyncDatabase,
  prepared: PreparedAppend,
  now: number,
): Verdict | undefined => {
  const inRows = { ...prepared, data: prepared.data.map(dataInRow) }
  const [verdict] = writeGroup(database, [inRows], now)
  if (verdict?.isOk())
    for (const [index, { position }] of verdict.value.entries())
      insertLongData(database, position, dataAt(prepared, index))
  return verdict
}

/** Most bytes of data in the row of an event; a whole row may have 2 MB. */
const MAX_DATA_BYTES = 1_000_000

/** Most UTF-16 units in one part of longer data; each takes at most three bytes. */
const MAX_PART_LENGTH = 500_000

/** The table with the parts of long data. */
export const PARTS = 'event_parts'

/** Creates it. Never change it: existing objects were made by it. */
export const CREATE_PARTS = `CREATE TABLE ${PARTS} (
     position INTEGER NOT NULL,
     nth INTEGER NOT NULL,
     part TEXT NOT NULL,
     PRIMARY KEY (position, nth)
   ) STRICT;`

/** The data in the row of an event. Data that are too long are stored in parts: the row has an empty text, which is not JSON. */
const dataInRow = (json: string): string => (exceedsBytes(json, MAX_DATA_BYTES) ? '' : json)

/** Stores the data of the event at `position` in parts if they are too long for its row. */
const insertLongData = (database: SyncDatabase, position: Position, json: string): void => {
  if (dataInRow(json) === json) return
  for (const [nth, part] of partsOf(json).entries())
    database.run(`INSERT INTO ${PARTS} (position, nth, part) VALUES (?, ?, ?)`, position, nth, part)
}

/** Splits `text` without splitting a surrogate pair. */
const partsOf = (text: string): readonly string[] => {
  const parts: string[] = []
  for (let begin = 0; begin < text.length; ) {
    const last = begin + MAX_PART_LENGTH - 1
    const code = text.codePointAt(last)
    const end = code !== undefined && code > 0xffff ? last : last + 1
    parts.push(text.slice(begin, end))
    begin = end
  }
  return parts
}

/** `events` with the data that are stored in parts; damaged data stay undefined. */
const withLongData = (
  database: SyncDatabase,
  events: readonly RecordedEvent[],
): readonly RecordedEvent[] =>
  events.some(({ data }) => data === undefined)
    ? events.map((event) =>
        event.data === undefined ? { ...event, data: longData(database, event.position) } : event,
      )
    : events

/** The data of a row of `events` in SQL, with those that are stored in parts. */
export const dataOf = (event: string): string =>
  `CASE WHEN ${event}.data <> '' THEN ${event}.data ELSE (SELECT group_concat(part, '') FROM (
    SELECT part FROM ${PARTS} AS stored WHERE stored.position = ${event}.position ORDER BY stored.nth)) END`

const longData = (database: SyncDatabase, position: Position): object => {
  const sql = `SELECT part FROM ${PARTS} WHERE position = ? ORDER BY nth`
  const parts = database.rows<readonly [part: string]>(sql, position)
  return storedJson(parts.join('')) as object
}
