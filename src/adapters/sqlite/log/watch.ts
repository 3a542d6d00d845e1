import type { Connection } from '../connection.js'

/** Between two looks at what other processes have done, in milliseconds. */
const INTERVAL = 50

/**
 * Calls `changed` soon after another connection has written to the file. Does not keep the program
 * alive.
 *
 * @returns ends the calls
 */
export const watch = (connection: Connection, changed: () => void): (() => void) => {
  let isWatching = true
  let seen: unknown

  const look = async (): Promise<void> => {
    const current = await dataVersion(connection)
    if (!isWatching || connection.isClosed()) return
    if (seen !== undefined && current !== undefined && current !== seen) changed()
    seen = current ?? seen
    setTimeout(look, INTERVAL).unref()
  }

  void look()
  return () => {
    isWatching = false
  }
}

/** Changes with every commit of another connection; undefined when it cannot be read just now. */
const dataVersion = (connection: Connection): Promise<unknown> =>
  connection.query((database) => database.value('PRAGMA data_version')).catch(() => undefined)
