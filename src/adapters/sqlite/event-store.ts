import { type Environment, systemEnvironment } from '../../ports/environment.js'
import type { EventCount, EventRestore, EventStore } from '../../ports/event-store.js'
import { readLog, restoreEvents, writeGroup } from '../sql/sqlite/event-log.js'
import { groupCommit, type Verdict } from '../store/group-commit.js'
import {
  listeners,
  type MicrosecondClock,
  microsecondClock,
  type PreparedAppend,
} from '../store/record-events.js'
import type { Connection } from './connection.js'
import { isConnectionFault } from './faults.js'

/** A store in the table `events` of an SQLite file. */
export const sqliteEventStore = (
  connection: Connection,
  clock: MicrosecondClock = microsecondClock(),
  environment: Environment = systemEnvironment,
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
    append: groupCommit({ write, isConnectionFault }, environment),
    onAppend: (wake) => {
      const remove = add(wake)
      endWatch ??= watch(connection, wakeAll, environment)
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

/** Time between two checks for changes of other processes, in milliseconds. */
const INTERVAL_MS = 50

/**
 * Calls `changed` soon after another connection has written to the file, until the returned function is called.
 * Does not keep the program alive.
 */
export const watch = (
  connection: Connection,
  changed: () => void,
  { sleep }: Environment = systemEnvironment,
): (() => void) => {
  let isWatching = true
  let seen: unknown

  const check = async (): Promise<void> => {
    const current = await dataVersion(connection)
    if (!isWatching || connection.isClosed()) return
    if (seen !== undefined && current !== undefined && current !== seen) changed()
    seen = current ?? seen
    sleep(INTERVAL_MS, undefined, true).then(check)
  }

  void check()
  return () => {
    isWatching = false
  }
}

/** A number that changes with every commit of another connection; undefined when it cannot be read now. */
const dataVersion = (connection: Connection): Promise<unknown> =>
  connection.query((database) => database.value('PRAGMA data_version')).catch(() => undefined)
