import { setImmediate, setTimeout } from 'node:timers'
import { StoreFault } from '../../ports/store-fault.js'
import { checkNumber } from '../store/check-options.js'
import { type Database, openDatabase } from './database.js'
import { faultOf, lockedFault } from './faults.js'
import { isBusy } from './result-code.js'
import { setUp } from './schema.js'
import { inTransaction } from './transaction.js'
import { UnusableFile } from './unusable-file.js'

/** Of Node.js, taken once: tests may put a clock of theirs in the place of these. */
const [soon, later] = [setImmediate, setTimeout]

/** How long another process may keep the file locked, in milliseconds. */
const DEFAULT_BUSY_TIMEOUT = 10_000

/** For so long, in milliseconds, a lock is asked for in every turn of the event loop. */
const EAGER_WAIT = 2

/** Most between two tries after that, in milliseconds. */
const MAX_PAUSE = 5

/**
 * After so long, in milliseconds, in which nobody has met a lock, it is no longer the same. It may be another
 * one before that: so no call is refused that has not tried for so long itself.
 */
const FORGOTTEN = 20 * MAX_PAUSE

/**
 * A file shared with other processes. While one of them has it locked, `work` is tried again, and the
 * event loop keeps turning; nothing else of this process comes between what one `work` does.
 *
 * Everything rejects with a {@link StoreFault} when the lock lasts too long, when SQLite reports a
 * fault, and after `close`.
 */
export interface Connection {
  /** Runs `work` without a transaction: for a single query. */
  readonly query: <Value>(work: (database: Database) => Value) => Promise<Value>
  /** Runs `work` so that all its queries see the file as of one moment. */
  readonly read: <Value>(work: (database: Database) => Value) => Promise<Value>
  /** Runs `work` so that all that it writes is recorded or nothing. */
  readonly write: <Value>(work: (database: Database) => Value) => Promise<Value>
  readonly isClosed: () => boolean
  /** Closes the file; what still waits for a lock is rejected. */
  readonly close: () => void
}

/**
 * Opens the file at `path` and brings its tables up to date; later, when it is locked just now.
 *
 * @throws UnusableFile, or TypeError when `busyTimeout` is no number
 */
export const openConnection = (
  path: string,
  busyTimeout: number = DEFAULT_BUSY_TIMEOUT,
): Connection => {
  checkNumber('busyTimeout', busyTimeout)
  const database = openDatabase(path)
  let isReady = false
  let hasClosed = false

  const attempt = <Value>(work: (database: Database) => Value): Value => {
    if (hasClosed) throw new StoreFault('The database is closed', 'not_recorded')
    if (!isReady) setUp(database)
    isReady = true
    return work(database)
  }

  /** Runs what the same lock may hold up: those that wait one after the other wait for one timeout. */
  const runner = () => {
    /** When the lock was first met, and when last; 0 once it is gone. */
    let since = 0
    let seen = 0
    return async <Value>(work: (database: Database) => Value): Promise<Value> => {
      let began: number | undefined
      let from: number | undefined
      for (;;) {
        try {
          const value = attempt(work)
          seen = 0
          return value
        } catch (error) {
          // Opened while it was locked, a file is found unusable only now.
          if (error instanceof UnusableFile)
            throw new StoreFault(error.message, 'not_recorded', error)
          if (!isBusy(error)) throw faultOf(error, 'not_recorded')
          const now = performance.now()
          began ??= now
          from ??= now - seen < FORGOTTEN ? since : now
          since = from
          seen = now
          const waited = now - from
          const hasTried = now - began >= Math.min(busyTimeout, FORGOTTEN)
          if (waited >= busyTimeout && hasTried) throw lockedFault(busyTimeout, error)
          await pause(waited)
        }
      }
    }
  }

  const close = () => {
    if (!hasClosed) database.close()
    hasClosed = true
  }

  try {
    attempt(() => undefined)
  } catch (error) {
    if (!isBusy(error)) {
      close()
      throw faultOf(error, 'not_recorded')
    }
  }
  const reading = runner()
  const writing = runner()
  return {
    query: reading,
    read: (work) => reading((database) => inTransaction(database, 'BEGIN DEFERRED', work)),
    write: (work) => writing((database) => inTransaction(database, 'BEGIN IMMEDIATE', work)),
    isClosed: () => hasClosed,
    close,
  }
}

/** Waits a little, of different length each time so that no two processes wait in step. */
const pause = (waited: number): Promise<void> =>
  new Promise((resolve) => {
    if (waited < EAGER_WAIT) soon(resolve)
    else later(resolve, Math.random() * MAX_PAUSE)
  })
