import { setImmediate } from 'node:timers'
import type { EventCount, EventRestore, EventStore } from '../../../ports/event-store.js'
import { readLog } from '../../sql/sqlite/read-log.js'
import { restoreEvents } from '../../sql/sqlite/restore-events.js'
import { writeGroup } from '../../sql/sqlite/write-group.js'
import { type MicrosecondClock, microsecondClock } from '../../store/clock.js'
import { groupCommit, type Verdict } from '../../store/group-commit.js'
import { listeners } from '../../store/listeners.js'
import type { PreparedAppend } from '../../store/prepare-append.js'
import type { Connection } from '../connection.js'
import { isConnectionFault } from '../faults.js'
import { watch } from './watch.js'

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
    ...readLog(connection),
    append: groupCommit({ write, isConnectionFault, schedule }),
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
      await connection.write((database) =>
        restoreEvents(database, events, ({ data }) => JSON.stringify(data)),
      )
      wakeAll()
    },
  }
}
