import { existsSync } from 'node:fs'
import { setImmediate, setTimeout } from 'node:timers'
import { StoreFault } from '../../ports/event-store.js'
import type { SqliteLimits } from '../sql/sqlite/dialect.js'
import { checkNumber } from '../store/check-options.js'
import { type Database, openDatabase } from './database.js'
import { faultOf, isBusy, lockedFault, UnusableFile } from './faults.js'
import { inTransaction, setUp } from './schema.js'

/** Taken once: tests of a host may replace them, also in their module. */
const [setSoon, setLater] = [setImmediate, setTimeout]

/** How long another process may keep the file locked, in milliseconds. */
const DEFAULT_BUSY_TIMEOUT_MS = 10_000

/** How long a lock is tried in every turn of the event loop, in milliseconds. */
const EAGER_WAIT_MS = 2

/** Longest pause between two tries after that, in milliseconds. */
const MAX_PAUSE_MS = 5

/**
 * A lock met again within this time, in milliseconds, counts as the same one. It may be another one, so a call must
 * have tried for as long itself before it is rejected.
 */
const LOCK_MEMORY_MS = 20 * MAX_PAUSE_MS

/**
 * A file shared with other processes. While one of them has it locked, `work` is tried again without blocking
 * the event loop. `work` is synchronous, so no other work of this process comes in between.
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
  /** Closes the file; calls that wait for a lock reject. */
  readonly close: () => void
}

/** How a file is opened. */
export interface ConnectionOptions {
  readonly busyTimeout?: number | undefined
  /** Whether it is created, and its tables brought up to date. */
  readonly migrate?: boolean | undefined
}

/**
 * Opens the file at `path` and brings its tables up to date, at the first call if it is locked.
 *
 * @throws UnusableFile, or TypeError when an option is of a wrong type
 */
export const openConnection = (
  path: string,
  { busyTimeout = DEFAULT_BUSY_TIMEOUT_MS, migrate = true }: ConnectionOptions = {},
): Connection => {
  checkNumber('busyTimeout', busyTimeout)
  if (typeof migrate !== 'boolean') throw new TypeError('migrate must be a boolean')
  const database = migrate ? openDatabase(path) : openExisting(path)
  let isReady = false
  let hasClosed = false

  const attempt = <Value>(work: (database: Database) => Value): Value => {
    if (hasClosed) throw new StoreFault('The database is closed', 'not_recorded')
    if (!isReady) setUp(database, migrate)
    isReady = true
    return work(database)
  }

  /** Runs work that may wait for the same lock: calls one after the other share one timeout. */
  const runner = () => {
    /** When the lock was first met, and when last; 0 without a lock. */
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
          // A file that was locked when it was opened is checked only now.
          if (error instanceof UnusableFile)
            throw new StoreFault(error.message, 'not_recorded', error)
          if (!isBusy(error)) throw faultOf(error, 'not_recorded')
          const now = performance.now()
          began ??= now
          from ??= now - seen < LOCK_MEMORY_MS ? since : now
          since = from
          seen = now
          const waited = now - from
          const hasTried = now - began >= Math.min(busyTimeout, LOCK_MEMORY_MS)
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

/** Opens a file that must be there: SQLite would create one that is missing. */
const openExisting = (path: string): Database => {
  if (path.startsWith('file:'))
    return openDatabase(
      /[?&]mode=/.test(path) ? path : `${path}${path.includes('?') ? '&' : '?'}mode=rw`,
    )
  if (!existsSync(path)) throw new UnusableFile('not_migrated', 'There is no such file')
  return openDatabase(path)
}

/** A random pause, so that two processes do not try in step. */
const pause = (waited: number): Promise<void> =>
  new Promise((resolve) => {
    if (waited < EAGER_WAIT_MS) setSoon(resolve)
    else setLater(resolve, Math.random() * MAX_PAUSE_MS)
  })

/** Those of SQLite itself, which no statement of ours comes near. */
export const LIMITS: SqliteLimits = {
  maxParameters: 32_766,
  maxEvents: Number.POSITIVE_INFINITY,
}
