import type { Connection } from '../connection.js'

/** Time between two checks for changes of other processes, in milliseconds. */
const INTERVAL_MS = 50

/**
 * Calls `changed` soon after another connection has written to the file. Does not keep the program
 * alive.
 *
 * @returns a function that ends the calls
 */
export const watch = (connection: Connection, changed: () => void): (() => void) => {
  let isWatching = true
  let seen: unknown

  const check = async (): Promise<void> => {
    const current = await dataVersion(connection)
    if (!isWatching || connection.isClosed()) return
    if (seen !== undefined && current !== undefined && current !== seen) changed()
    seen = current ?? seen
    setTimeout(check, INTERVAL_MS).unref()
  }

  void check()
  return () => {
    isWatching = false
  }
}

/** A number that changes with every commit of another connection; undefined when it cannot be read now. */
const dataVersion = (connection: Connection): Promise<unknown> =>
  connection.query((database) => database.value('PRAGMA data_version')).catch(() => undefined)
