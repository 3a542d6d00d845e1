import type { EventCount, EventRestore, EventStore } from '../../../ports/event-store.js'
import type { SyncConnection, SyncDatabase } from '../../sql/sqlite/database.js'
import { readLog } from '../../sql/sqlite/read-log.js'
import { restoreEvents } from '../../sql/sqlite/restore-events.js'
import { writeGroup } from '../../sql/sqlite/write-group.js'
import type { MicrosecondClock } from '../../store/clock.js'
import type { Verdict } from '../../store/group-commit.js'
import type { listeners } from '../../store/listeners.js'
import { type PreparedAppend, prepareAppend } from '../../store/prepare-append.js'
import { dataInRow, insertLongData, withLongData } from './long-data.js'

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
