import { setImmediate } from 'node:timers'
import type { StreamId } from '../../../domain/values.js'
import type {
  EventCount,
  EventRestore,
  EventStore,
  RecordedEvent,
} from '../../../ports/event-store.js'
import { type EventRow, eventsOf } from '../../sql/stored-events.js'
import { checkRestore } from '../../store/check-restore.js'
import { groupCommit, type Verdict } from '../../store/group-commit.js'
import type { PreparedAppend } from '../../store/prepare-append.js'
import type { Session, Statement } from '../connection/connection.js'
import type { Connections } from '../connection/connections.js'
import { isConnectionFault } from '../connection/faults.js'
import { lockKey } from './append-functions.js'
import { CONFIRM, DURABLE } from './durable.js'
import { eventQueries, insertEvents } from './event-rows.js'
import type { News } from './notifications.js'
import { writeGroup } from './write-group.js'

/** Of Node.js, taken once: tests may put a clock of theirs in the place of the global one, and of its module's. */
const schedule = setImmediate

/**
 * A store in the table `events` of a schema.
 *
 * @param schema - quoted
 */
export const postgresEventStore = (
  connections: Connections,
  schema: string,
  news: News,
): EventStore & EventRestore & EventCount => {
  const queries = eventQueries(schema)

  const events = async (statement: Statement): Promise<readonly RecordedEvent[]> =>
    eventsOf(await connections.read<EventRow<string>>(statement))

  const write = async (group: readonly PreparedAppend[]): Promise<readonly Verdict[]> => {
    const verdicts = await writeGroup(connections, schema, group)
    if (verdicts.some((verdict) => verdict.isOk() && verdict.value.length > 0)) news.tell()
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
      // The commit of another, or ours that was cut short, may be here alone.
      if (found.length > 0) await connections.write(CONFIRM)
      return found
    },
    onAppend: news.onAppend,
    restore: async (events) => {
      if (events.length === 0) return
      await connections.transaction((session) => restoreEvents(session, schema, events))
      news.tell()
    },
  }
}

const restoreEvents = async (
  session: Session,
  schema: string,
  events: readonly RecordedEvent[],
): Promise<void> => {
  const queries = eventQueries(schema)
  await session.rows({ text: `SELECT ${DURABLE}, pg_advisory_xact_lock(${lockKey(schema)})` })
  const [previous] = eventsOf(await session.rows<EventRow<string>>(queries.last))
  const streams = [...new Set(events.map(({ stream }) => stream))]
  const versions = new Map(await session.rows<[StreamId, string]>(queries.versions(streams)))
  const keys = events.flatMap(({ metadata: { idempotencyKey } }) => idempotencyKey ?? [])
  const used = new Set((await session.rows<[string]>(queries.usedKeys(keys))).map(([key]) => key))
  const invalid = checkRestore(events, {
    last: previous,
    versionOf: (stream) => Number(versions.get(stream) ?? 0),
    isKeyUsed: (key) => used.has(key),
  })
  if (invalid) throw invalid
  await insertEvents(session, schema, { events, previous })
}
