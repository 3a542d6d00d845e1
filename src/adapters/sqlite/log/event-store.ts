import { setImmediate } from 'node:timers'
import type {
  EventCount,
  EventRestore,
  EventStore,
  RecordedEvent,
} from '../../../ports/event-store.js'
import { beginsAppend, checkRestore } from '../../store/check-restore.js'
import { type MicrosecondClock, microsecondClock } from '../../store/clock.js'
import { groupCommit, type Verdict } from '../../store/group-commit.js'
import { listeners } from '../../store/listeners.js'
import type { PreparedAppend } from '../../store/prepare-append.js'
import type { Connection } from '../connection.js'
import type { Database } from '../database.js'
import { isConnectionFault } from '../faults.js'
import {
  countAfter,
  eventsOfAppend,
  insertEvent,
  isKeyUsed,
  lastEvent,
  lastPosition,
  pageOfEvents,
  streamEvents,
  versionOf,
} from './event-rows.js'
import { watch } from './watch.js'
import { writeGroup } from './write-group.js'

/** Taken once: tests of a host may replace it, also in its module. */
const schedule = setImmediate

/** A store in the table `events` of an SQLite file. */
export const sqliteEventStore = (
  connection: Connection,
  clock: MicrosecondClock = microsecondClock(),
): EventStore & EventRestore & EventCount => {
  const { add, isEmpty, wakeAll } = listeners()
  let endWatch: (() => void) | undefined

  const write = async (group: readonly PreparedAppend[]): Promise<readonly Verdict[]> => {
    const verdicts = await connection.write((database) => writeGroup(database, group, clock()))
    wakeAll()
    return verdicts
  }

  return {
    append: groupCommit({ write, isConnectionFault, schedule }),
    readStream: (stream, afterVersion = 0) =>
      connection.query((database) => streamEvents(database, stream, afterVersion)),
    readAll: (after, limit) => connection.query((database) => pageOfEvents(database, after, limit)),
    countAfter: (after) => connection.query((database) => countAfter(database, after)),
    lastPosition: async () => BigInt(await connection.query(lastPosition)),
    findAppend: (by) => connection.read((database) => eventsOfAppend(database, by)),
    onAppend: (wake) => {
      const remove = add(wake)
      endWatch ??= watch(connection, wakeAll)
      return () => {
        remove()
        if (!isEmpty()) return
        endWatch?.()
        endWatch = undefined
      }
    },
    restore: async (events) => {
      await connection.write((database) => restoreEvents(database, events))
      wakeAll()
    },
  }
}

const restoreEvents = (database: Database, events: readonly RecordedEvent[]): void => {
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
      data: JSON.stringify(event.data),
      metadata: JSON.stringify(event.metadata),
      beginsAppend: beginsAppend(event, previous),
    })
    previous = event
  }
}
