import { closeSync, existsSync, openSync } from 'node:fs'
import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Parameter, Row } from '../sql/dialect.js'
import type { SyncDatabase } from '../sql/sqlite/dialect.js'
import { UnusableFile } from './faults.js'

/** A connection to one SQLite file. It throws SQLITE_BUSY instead of waiting for a lock. */
export interface Database extends SyncDatabase {
  readonly close: () => void
}

/**
 * Opens `path`, or a database in memory for `:memory:`. Prepared statements are cached.
 *
 * @throws UnusableFile when it cannot be opened; Error without `node:sqlite`
 */
export const openDatabase = (path: string): Database => {
  const connection = connect(path)
  const prepared = new Map<string, StatementSync>()

  const statement = (sql: string): StatementSync => {
    const known = prepared.get(sql)
    if (known) return known
    const fresh = connection.prepare(sql)
    // Missing from Node.js 22.13 to 22.15.
    fresh.setReturnArrays?.(true)
    if (prepared.size === MAX_PREPARED) prepared.clear()
    prepared.set(sql, fresh)
    return fresh
  }

  const rows = <Found extends Row>(sql: string, ...parameters: Parameter[]) =>
    // The types of Node.js have no rows as arrays.
    asArrays(statement(sql).all(...parameters)) as readonly Found[]

  return {
    script: (sql) => connection.exec(sql),
    run: (sql, ...parameters) => statement(sql).run(...parameters).changes > 0,
    rows,
    value: (sql, ...parameters) => rows(sql, ...parameters)[0]?.[0],
    close: () => connection.close(),
  }
}

/** Rows as arrays. Column names of a query are unique and not numeric, so the keys of a row are in the order of its columns. */
const asArrays = (rows: readonly object[]): readonly unknown[] =>
  rows[0] === undefined || Array.isArray(rows[0]) ? rows : rows.map((row) => Object.values(row))

/** Most cached statements: queries of lists have too many variants to cache them all. */
const MAX_PREPARED = 200

const connect = (path: string): DatabaseSync => {
  // SQLite would open a temporary file.
  if (path === '' || path === 'file:') throw new UnusableFile('cannot_open', 'The path is empty')
  const { DatabaseSync } = nodeSqlite()
  try {
    createForOwner(path)
    // Waiting for a lock would block the whole program.
    return new DatabaseSync(path, { timeout: 0 })
  } catch (error) {
    throw new UnusableFile('cannot_open', `Cannot open ${path}`, error)
  }
}

/** Creates a missing file that only its owner may read, whatever the umask; SQLite gives the files beside it the same mode. */
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
