import { existsSync } from 'node:fs'
import { setImmediate, setTimeout } from 'node:timers'
import { StoreFault } from '../../ports/event-store.js'
import type { SqliteHandle } from '../../ports/sqlite-handle.js'
import type { SqliteLimits, SyncConnection, SyncDatabase } from '../sql/sqlite/dialect.js'
import { type Database, databaseOf, openDatabase } from './database.js'
import { faultOf, isBusy, lockedFault, UnusableFile } from './faults.js'
import { inTransaction, setUp } from './schema.js'

/** Taken once: tests of a host may replace them, also in their module. */
const [setSoon, setLater] = [setImmediate, setTimeout]

/** The limits of SQLite itself; no statement of ours comes near them. */
export const LIMITS: SqliteLimits = {
  maxParameters: 32_766,
  maxEvents: Number.POSITIVE_INFINITY,
}

/** How long another process may keep the file locked, in milliseconds. */
const DEFAULT_BUSY_TIMEOUT_MS = 10_000

/**
 * A file shared with other processes. While one of them has it locked, `work` is tried again without blocking
 * the event loop. `work` is synchronous, so no other work of this process runs in between.
 *
 * Everything rejects with a {@link StoreFault} when the lock lasts too long, when SQLite reports a
 * fault, and after `close`.
 */
export interface Connection extends SyncConnection {
  readonly isClosed: () => boolean
  /** Closes the file; calls that wait for a lock reject. */
  readonly close: () => void
}

/**
 * Opens the file at a path, or takes an open handle, and brings its tables up to date; a locked file is set up by the first
 * call.
 *
 * @throws UnusableFile
 */
export const openConnection = (
  place: string | SqliteHandle,
  {
    busyTimeout = DEFAULT_BUSY_TIMEOUT_MS,
    migrate = true,
  }: {
    readonly busyTimeout?: number | undefined
    /** Whether the file is created, and its tables brought up to date. */
    readonly migrate?: boolean | undefined
  } = {},
): Connection => {
  const database = databaseAt(place, migrate)
  let isReady = false
  let hasClosed = false

  let isSynced = true
  /** Sets whether commits wait for the disk; a commit that waits also writes the earlier ones. */
  const sync = (isWanted: boolean): void => {
    if (isWanted === isSynced) return
    database.script(`PRAGMA synchronous = ${isWanted ? 'FULL' : 'NORMAL'}`)
    isSynced = isWanted
  }

  const attempt = <Value>(work: Work<Value>): Value => {
    if (hasClosed) throw new StoreFault('The database is closed', 'not_recorded')
    if (!isReady) setUp(database, migrate)
    isReady = true
    return work(database)
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

  const readLock: LockMemory = { since: 0, seen: 0 }
  const writeLock: LockMemory = { since: 0, seen: 0 }
  const read = <Value>(work: Work<Value>) =>
    untilUnlocked(() => attempt(work), busyTimeout, readLock)
  const write = <Value>(work: Work<Value>) =>
    untilUnlocked(() => attempt(work), busyTimeout, writeLock)
  return {
    query: read,
    read: (work) => read((database) => inTransaction(database, 'BEGIN DEFERRED', work)),
    write: (work, commit) =>
      write((database) => {
        sync(commit !== 'unsynced')
        return inTransaction(database, 'BEGIN IMMEDIATE', work)
      }),
    isClosed: () => hasClosed,
    close,
  }
}

type Work<Value> = (database: SyncDatabase) => Value

const databaseAt = (place: string | SqliteHandle, migrate: boolean): Database => {
  if (typeof place !== 'string') return databaseOf(place)
  return migrate ? openDatabase(place) : openExisting(place)
}

/** Opens a file that must exist: SQLite would create a missing one. */
const openExisting = (path: string): Database => {
  if (path.startsWith('file:'))
    return openDatabase(
      /[?&]mode=/.test(path) ? path : `${path}${path.includes('?') ? '&' : '?'}mode=rw`,
    )
  if (!existsSync(path)) throw new UnusableFile('not_migrated', 'There is no such file')
  return openDatabase(path)
}

/** How long a lock is tried in every turn of the event loop, in milliseconds. */
const EAGER_WAIT_MS = 2

/** Longest pause between two tries after that, in milliseconds. */
const MAX_PAUSE_MS = 5

/**
 * A lock met again within this time, in milliseconds, counts as the same one. It may be another one, so a call must
 * have tried for as long itself before it is rejected.
 */
const LOCK_MEMORY_MS = 20 * MAX_PAUSE_MS

/** When a lock was first met, and when last; 0 without a lock. Consecutive calls that wait for it share one timeout. */
interface LockMemory {
  since: number
  seen: number
}

/** Runs `attempt`, again and again while another process has the file locked, for at most `busyTimeout` milliseconds. */
const untilUnlocked = async <Value>(
  attempt: () => Value,
  busyTimeout: number,
  lock: LockMemory,
): Promise<Value> => {
  let began: number | undefined
  let from: number | undefined
  for (;;) {
    try {
      const value = attempt()
      lock.seen = 0
      return value
    } catch (error) {
      // A file that was locked when it was opened is checked only now.
      if (error instanceof UnusableFile) throw new StoreFault(error.message, 'not_recorded', error)
      if (!isBusy(error)) throw faultOf(error, 'not_recorded')
      const now = performance.now()
      began ??= now
      from ??= now - lock.seen < LOCK_MEMORY_MS ? lock.since : now
      lock.since = from
      lock.seen = now
      const waited = now - from
      const hasTried = now - began >= Math.min(busyTimeout, LOCK_MEMORY_MS)
      if (waited >= busyTimeout && hasTried) throw lockedFault(busyTimeout, error)
      await pause(waited)
    }
  }
}

/** A random pause, so that two processes do not try in step. */
const pause = (waited: number): Promise<void> =>
  new Promise((resolve) => {
    if (waited < EAGER_WAIT_MS) setSoon(resolve)
    else setLater(resolve, Math.random() * MAX_PAUSE_MS)
  })
