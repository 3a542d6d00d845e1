import { accessSync, closeSync, constants, existsSync, openSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate, setTimeout } from 'node:timers'
import { pathToFileURL } from 'node:url'
import { type FaultOutcome, StoreFault } from '../../ports/event-store.js'
import type { SqliteHandle, SqliteStatement } from '../../ports/sqlite-handle.js'
import type { Parameter, Row } from '../sql/dialect.js'
import type { SqliteLimits, SyncConnection, SyncDatabase } from '../sql/sqlite/dialect.js'
import { CREATE_EVENTS } from '../sql/sqlite/event-log.js'
import {
  faultOf,
  isBusy,
  isFull,
  isNotADatabase,
  isSqliteError,
  lockedFault,
  UnusableFile,
} from './faults.js'

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
  /** The open handle, for statements of the host. */
  readonly handle: SqliteHandle
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
    prepare = () => undefined,
  }: {
    readonly busyTimeout?: number | undefined
    /** Whether the file is created, and its tables brought up to date. */
    readonly migrate?: boolean | undefined
    /** Sets up more than the table of events, before the first call. */
    readonly prepare?: (database: SyncDatabase) => void
  } = {},
): Connection => {
  const database = openDatabase(place, migrate)
  let isReady = false
  let hasClosed = false

  const attempt = <Value>(work: Work<Value>): Value => {
    if (hasClosed) throw new StoreFault('The database is closed', 'not_recorded')
    if (!isReady) {
      setUp(database, migrate)
      prepare(database)
    }
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
      write(() => {
        database.sync(commit !== 'unsynced')
        return inTransaction(database, 'BEGIN IMMEDIATE', work)
      }),
    handle: database.handle,
    isClosed: () => hasClosed,
    close,
  }
}

type Work<Value> = (database: SyncDatabase) => Value

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

/** A connection to one SQLite file. It throws SQLITE_BUSY instead of waiting for a lock. */
export interface Database extends SyncDatabase {
  readonly handle: SqliteHandle
  /** Sets whether commits wait for the disk; a commit that waits also writes the earlier ones. */
  readonly sync: (isWanted: boolean) => void
  readonly close: () => void
}

/**
 * Opens the file at a path, `:memory:`, or the database of an open handle, which the host closes. Prepared statements are
 * cached.
 *
 * @throws UnusableFile when it cannot be opened; Error without `node:sqlite`
 */
export const openDatabase = (place: string | SqliteHandle, mayCreate = true): Database => {
  if (typeof place !== 'string') return { ...databaseOn(place), close: () => undefined }
  const connection = connect(mayCreate ? place : existing(place))
  return { ...databaseOn(connection), close: () => connection.close() }
}

/** The path of a file that must exist: SQLite would create a missing one. */
const existing = (path: string): string => {
  if (path.startsWith('file:'))
    return /[?&]mode=/.test(path) ? path : `${path}${path.includes('?') ? '&' : '?'}mode=rw`
  if (!existsSync(path)) throw new UnusableFile('not_migrated', 'There is no such file')
  // SQLite would put its log beside a file, unless the file cannot change.
  const isUnchanging = !existsSync(`${path}-wal`) && !isWritable(dirname(path))
  return isUnchanging ? `${pathToFileURL(path)}?immutable=1` : path
}

const isWritable = (folder: string): boolean => {
  try {
    accessSync(folder, constants.W_OK)
    return true
  } catch {
    return false
  }
}

/** Handles whose commits do not wait for the disk. Known by the handle, since several databases may have the same. */
const unsynced = new WeakSet<SqliteHandle>()

const databaseOn = (handle: SqliteHandle): Omit<Database, 'close'> => {
  // Waiting for a lock would block the whole program.
  handle.exec('PRAGMA busy_timeout = 0')
  const prepared = new Map<string, SqliteStatement>()

  const statement = (sql: string): SqliteStatement => {
    const known = prepared.get(sql)
    if (known) return known
    const fresh = withPlainRows(handle.prepare(sql))
    if (prepared.size === MAX_PREPARED) prepared.clear()
    prepared.set(sql, fresh)
    return fresh
  }

  const rows = <Found extends Row>(sql: string, ...parameters: Parameter[]) => {
    const found = statement(sql)
    // The types of SQLite know the columns of no statement.
    if (found.values) return found.values(...parameters) as readonly Found[]
    if (found.reader !== false) return asArrays(found.all(...parameters)) as readonly Found[]
    found.run(...parameters)
    return []
  }

  return {
    handle,
    sync: (isWanted) => {
      if (isWanted !== unsynced.has(handle)) return
      handle.exec(`PRAGMA synchronous = ${isWanted ? 'FULL' : 'NORMAL'}`)
      if (isWanted) unsynced.delete(handle)
      else unsynced.add(handle)
    },
    script: (sql) => void handle.exec(sql),
    run: (sql, ...parameters) => statement(sql).run(...parameters).changes > 0,
    rows,
    value: (sql, ...parameters) => rows(sql, ...parameters)[0]?.[0],
  }
}

/** Has a statement return integers as numbers, whatever the handle's default, and rows as lists, where it can. */
const withPlainRows = (statement: SqliteStatement): SqliteStatement => {
  statement.setReadBigInts?.(false)
  statement.safeIntegers?.(false)
  // Statements of Node.js 22.13 to 22.15 cannot.
  if (statement.setReturnArrays) statement.setReturnArrays(true)
  else if (statement.reader && !statement.values) statement.raw?.(true)
  return statement
}

/** Rows as arrays. Column names of a query are unique and not numeric, so the keys of a row are in the order of its columns. */
const asArrays = (rows: readonly unknown[]): readonly unknown[] =>
  rows[0] === undefined || Array.isArray(rows[0])
    ? rows
    : rows.map((row) => Object.values(Object(row)))

/** Most cached statements: queries of lists have too many variants to cache them all. */
const MAX_PREPARED = 200

const connect = (path: string) => {
  // SQLite would open a temporary file.
  if (path === '' || path === 'file:') throw new UnusableFile('cannot_open', 'The path is empty')
  const { DatabaseSync } = nodeSqlite()
  try {
    createForOwner(path)
    return new DatabaseSync(path)
  } catch (error) {
    throw new UnusableFile('cannot_open', `Cannot open ${path}`, error)
  }
}

/**
 * Creates a missing file that only its owner may read, regardless of the umask; SQLite gives the files next to it the
 * same mode.
 */
const createForOwner = (path: string): void => {
  if (path === ':memory:' || path.startsWith('file:') || existsSync(path)) return
  closeSync(openSync(path, 'a', 0o600))
}

/** Not imported: without `node:sqlite` an import would fail before our message. */
const nodeSqlite = () => {
  // Versions without `node:sqlite` may lack this function, too.
  const found = process.getBuiltinModule?.('node:sqlite')
  if (found) return found
  throw new Error(
    'claviger/sqlite needs node:sqlite: use Node.js 22.13 or later (of 23, 23.4), or a Deno or Bun that has it',
  )
}

/** `clav` in ASCII: marks a file as ours. */
const APPLICATION_ID = 0x636c6176

/**
 * The migration to each version of the tables; `PRAGMA user_version` counts those done. Add new ones, but never
 * change one: existing files went through it.
 */
const MIGRATIONS: readonly string[] = [CREATE_EVENTS]

/**
 * Size of the page cache, in KiB. Small enough for the caches of the processor, because each commit goes through all
 * cached pages. The operating system caches the others.
 */
const CACHE_SIZE = 8_192

/**
 * Changed pages that may wait in memory for the commit, in KiB. A batch of a catch-up changes some thousand pages;
 * beyond this limit SQLite writes them before the commit, and some of them twice.
 */
const SPILL_SIZE = 32_768

/** Pages of the write-ahead log at which SQLite copies it back; few large copies beat many small ones. */
const CHECKPOINT_PAGES = 4000

/**
 * Configures a new connection, and brings the tables up to date if `mayMigrate`. Several processes may do so at once.
 *
 * @throws UnusableFile, with nothing changed; SQLITE_BUSY when it must be tried again
 */
export const setUp = (database: SyncDatabase, mayMigrate = true): void => {
  // In a transaction: another process may be setting up the file.
  const version = inTransaction(database, 'BEGIN DEFERRED', schemaVersion)
  if (version < MIGRATIONS.length && !mayMigrate)
    throw new UnusableFile('not_migrated', notMigrated(version))
  // A property of the file, which a copy made by SQLite may lack.
  if (mayMigrate) database.script('PRAGMA journal_mode = WAL')
  // Large lists are sorted in memory, as a container may have no folder for temporary files.
  database.script(
    `PRAGMA synchronous = FULL;
     PRAGMA temp_store = MEMORY;
     PRAGMA cache_size = -${CACHE_SIZE};
     PRAGMA cache_spill = -${SPILL_SIZE};
     PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES};`,
  )
  if (version < MIGRATIONS.length) inTransaction(database, 'BEGIN IMMEDIATE', migrate)
}

const notMigrated = (version: number): string =>
  version === 0
    ? 'The file has no tables of claviger'
    : `The file has version ${version}, not ${MIGRATIONS.length}: open it once without migrate: false`

const migrate = (database: SyncDatabase): void => {
  // Read again: another process may have been faster.
  for (const migration of MIGRATIONS.slice(schemaVersion(database))) database.script(migration)
  database.script(
    `PRAGMA application_id = ${APPLICATION_ID};
     PRAGMA user_version = ${MIGRATIONS.length};`,
  )
}

/** How many migrations the file has gone through; 0 for a new one. */
const schemaVersion = (database: SyncDatabase): number => {
  const applicationId = pragma(database, 'PRAGMA application_id')
  const version = pragma(database, 'PRAGMA user_version')
  if (applicationId !== APPLICATION_ID) {
    const tables = database.value('SELECT count(*) FROM sqlite_schema')
    if (applicationId === 0 && version === 0 && tables === 0) return 0
    throw new UnusableFile('foreign', 'The file is the database of another program')
  }
  if (version > MIGRATIONS.length) {
    throw new UnusableFile(
      'newer',
      `The file has version ${version}; this version of claviger knows ${MIGRATIONS.length}`,
    )
  }
  // A view instead of a table can be endless, and nothing ends a statement of SQLite.
  const view = database.value(`SELECT name FROM sqlite_schema WHERE type = 'view' AND (${OURS})`)
  if (view !== undefined)
    throw new UnusableFile('foreign', `The file has a view ${view}: only claviger may use the name`)
  return version
}

/** Whether a name is one of our tables. */
const OURS = ['events*', 'read_*', 'webhook*'].map((names) => `name GLOB '${names}'`).join(' OR ')

const pragma = (database: SyncDatabase, sql: string): number => {
  try {
    return Number(database.value(sql))
  } catch (error) {
    if (!isNotADatabase(error)) throw error
    throw new UnusableFile('not_a_database', 'The file is not an SQLite database', error)
  }
}

/** `IMMEDIATE` locks for writing first; `DEFERRED` reads everything as of one moment. */
export type Begin = 'BEGIN IMMEDIATE' | 'BEGIN DEFERRED'

/**
 * Runs `work` in a transaction: all that it writes is recorded or nothing.
 *
 * @throws SQLITE_BUSY as it is, with nothing recorded, so that it can be tried again;
 *   {@link StoreFault} for any other error of SQLite; errors of `work` as they are
 */
export const inTransaction = <Value>(
  database: SyncDatabase,
  begin: Begin,
  work: (database: SyncDatabase) => Value,
): Value => {
  let outcome: FaultOutcome = 'not_recorded'
  let hasBegun = false
  if (unended.has(database)) rollBack(database)
  try {
    database.run(begin)
    hasBegun = true
    const value = work(database)
    outcome = 'unknown'
    database.run('COMMIT')
    return value
  } catch (error) {
    // Otherwise, an open transaction is one of the host.
    if (hasBegun) rollBack(database)
    if (isBusy(error)) throw error
    throw faultOf(error, isFull(error) ? 'not_recorded' : outcome)
  }
}

/** Databases whose transaction of ours is still open, because the driver was reading rows for the host when it should end. */
const unended = new WeakSet<SyncDatabase>()

const rollBack = (database: SyncDatabase): void => {
  try {
    database.run('ROLLBACK')
    unended.delete(database)
  } catch (error) {
    // SQLite has already rolled back, if it was asked at all.
    if (!isSqliteError(error)) unended.add(database)
  }
}
