import type { FaultOutcome, StoreFault } from '../../ports/event-store.js'
import type { SyncDatabase } from '../sql/sqlite/dialect.js'
import { CREATE_EVENTS } from '../sql/sqlite/event-log.js'
import { faultOf, isBusy, isFull, isNotADatabase, UnusableFile } from './faults.js'

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
  if (database.value(`SELECT count(*) FROM sqlite_schema WHERE type = 'view' AND (${OURS})`) !== 0)
    throw new UnusableFile('foreign', 'The file has views instead of the tables of claviger')
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
  try {
    database.run(begin)
    const value = work(database)
    outcome = 'unknown'
    database.run('COMMIT')
    return value
  } catch (error) {
    rollBack(database)
    if (isBusy(error)) throw error
    throw faultOf(error, isFull(error) ? 'not_recorded' : outcome)
  }
}

const rollBack = (database: SyncDatabase): void => {
  try {
    database.run('ROLLBACK')
  } catch {
    // SQLite has already rolled back, or the transaction never began.
  }
}
