import { setImmediate } from 'node:timers'
import type { StreamId } from '../../../domain/values.js'
import type {
  EventCount,
  EventRestore,
  EventStore,
  RecordedEvent,
} from '../../../ports/event-store.js'
import { type EventRow, eventsOf } from '../../sql/stored-events.js'
import { checkRestore } from '../../store/check-append.js'
import { groupCommit, type Verdict } from '../../store/group-commit.js'
import type { PreparedAppend } from '../../store/record-events.js'
import type { Connection, Statement } from '../connection/connection.js'
import type { Connections } from '../connection/connections.js'
import { isConnectionFault } from '../connection/faults.js'
import { CONFIRM, DURABLE, lockKey } from './append-functions.js'
import { eventQueries, insertEvents } from './event-rows.js'
import type { Notifications } from './notifications.js'
import { writeGroup } from './write-group.js'

/** Taken once: tests of a host may replace it, also in its module. */
const schedule = setImmediate

/**
 * A store in the table `events` of a schema.
 *
 * @param schema - quoted
 */
export const postgresEventStore = (
  connections: Connections,
  schema: string,
  notifications: Notifications,
): EventStore & EventRestore & EventCount => {
  const queries = eventQueries(schema)

  const events = async (statement: Statement): Promise<readonly RecordedEvent[]> =>
    eventsOf(await connections.read<EventRow<string>>(statement))

  const write = async (group: readonly PreparedAppend[]): Promise<readonly Verdict[]> => {
    const verdicts = await writeGroup(connections, schema, group)
    if (verdicts.some((verdict) => verdict.isOk() && verdict.value.length > 0)) notifications.send()
    return verdicts
  }

  return {
    append: groupCommit({ write, isConnectionFault, schedule }),
    readStream: (stream, afterVersion = 0) => events(queries.stream(stream, afterVersion)),
    readAll: (after, limit) => events(queries.page(after, limit)),
    lastPosition: async () => {
      const [row] = await connections.read(queries.lastPosition)
      return BigInt(row?.[0] ?? 0)
    },
    countAfter: async (after) => {
      const [row] = await connections.read(queries.count(after))
      return Number(row?.[0])
    },
    findAppend: async (by) => {
      const found = await events(queries.append(by))
      // A commit of another writer, or ours that was cut short, may be missing on the standbys.
      if (found.length > 0) await connections.write(CONFIRM)
      return found
    },
    onAppend: notifications.onAppend,
    restore: async (events) => {
      if (events.length === 0) return
      await connections.transaction((connection) => restoreEvents(connection, schema, events))
      notifications.send()
    },
  }
}

const restoreEvents = async (
  connection: Connection,
  schema: string,
  events: readonly RecordedEvent[],
): Promise<void> => {
  const queries = eventQueries(schema)
  await connection.rows({ text: `SELECT ${DURABLE}, pg_advisory_xact_lock(${lockKey(schema)})` })
  const [previous] = eventsOf(await connection.rows<EventRow<string>>(queries.last))
  const streams = [...new Set(events.map(({ stream }) => stream))]
  const versions = new Map(await connection.rows<[StreamId, string]>(queries.versions(streams)))
  const keys = events.flatMap(({ metadata: { idempotencyKey } }) => idempotencyKey ?? [])
  const used = new Set(
    (await connection.rows<[string]>(queries.usedKeys(keys))).map(([key]) => key),
  )
  const invalid = checkRestore(events, {
    last: previous,
    versionOf: (stream) => Number(versions.get(stream) ?? 0),
    isKeyUsed: (key) => used.has(key),
  })
  if (invalid) throw invalid
  await insertEvents(connection, schema, { events, previous })
}
