import type { SyncDatabase } from '../sql/sqlite/database.js'
import { CREATE_EVENTS } from '../sql/sqlite/tables.js'
import { EVENTS } from '../sql/stored-events.js'
import { CREATE_PARTS, PARTS } from './log/long-data.js'
import { UnusableStorage } from './unusable-storage.js'

/** Holds how many migrations the storage has gone through: there is no `PRAGMA user_version`. */
const SCHEMA = 'claviger_schema'

/**
 * What makes each version of the tables of the one before. Add new ones, but never change one: objects that went
 * through it exist.
 */
const MIGRATIONS: readonly string[] = [`${CREATE_EVENTS}\n${CREATE_PARTS}`]

/**
 * Brings the tables of the log up to date, in a transaction that has begun.
 *
 * @throws UnusableStorage, with nothing changed
 */
export const setUp = (database: SyncDatabase): void => {
  const version = schemaVersion(database)
  if (version === MIGRATIONS.length) return
  for (const migration of MIGRATIONS.slice(version)) database.script(migration)
  database.script(`CREATE TABLE IF NOT EXISTS ${SCHEMA} (version INTEGER NOT NULL) STRICT;
    DELETE FROM ${SCHEMA}; INSERT INTO ${SCHEMA} VALUES (${MIGRATIONS.length});`)
}

const schemaVersion = (database: SyncDatabase): number => {
  if (!hasTable(database, SCHEMA)) {
    const taken = [EVENTS, PARTS].find((name) => hasTable(database, name))
    if (taken === undefined) return 0
    throw new UnusableStorage('foreign', `The object has a table ${taken} that is not of claviger`)
  }
  const version = Number(database.value(`SELECT version FROM ${SCHEMA}`))
  if (version <= MIGRATIONS.length) return version
  throw new UnusableStorage(
    'newer',
    `The storage has version ${version}; this version of claviger knows ${MIGRATIONS.length}`,
  )
}

const hasTable = (database: SyncDatabase, name: string): boolean =>
  database.value(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?`, name) === 1
