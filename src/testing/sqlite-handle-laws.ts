import type { SqliteHandle } from '../ports/sqlite-handle.js'
import { demand, demandEqual, type Law, lawsOf } from './law.js'

/** Opens handles of SQLite for the laws. */
export interface SqliteHandleHome {
  /** A handle of a new, empty file. */
  readonly open: () => SqliteHandle
  /** Another handle of the file that was opened last. */
  readonly reopen: () => SqliteHandle
}

/** A promise of an open handle of SQLite. */
export type SqliteHandleLaw = Law<SqliteHandleHome>

/** The exception of `work`. */
const thrownBy = (what: string, work: () => unknown): unknown => {
  try {
    work()
  } catch (error) {
    return error
  }
  return demand(false, `${what} to throw`)
}

const TABLE = 'CREATE TABLE law (number INTEGER PRIMARY KEY, text TEXT) STRICT;'
const INSERT = 'INSERT INTO law (number, text) VALUES (?, ?) ON CONFLICT DO NOTHING'
const SELECT = 'SELECT text AS two, number AS one FROM law WHERE number >= ? ORDER BY number'

/** SQLite's number of an error, or its name. */
const codeOf = (error: unknown): unknown => {
  const { errcode, code } = Object(error)
  return typeof errcode === 'number' ? errcode & 0xff : code
}

/**
 * The promises of an open handle of SQLite, which `openSqlite` takes.
 *
 * @example
 * ```ts
 * for (const { name, check } of sqliteHandleLaws) test(name, () => check({ open, reopen }))
 * ```
 */
export const sqliteHandleLaws: readonly SqliteHandleLaw[] = lawsOf<SqliteHandleHome>({
  'Rows have their columns in order, unchanged text, and integers as numbers up to the size of a position.':
    async ({ open }) => {
      const handle = open()
      handle.exec(TABLE)
      const position = 2n ** 53n - 1n
      handle.prepare(INSERT).run(position, 'é \u{1F511} "\u0001"')
      handle.prepare(INSERT).run(1, null)
      const [first, second] = handle.prepare(SELECT).all(0)
      demandEqual('the names of the columns', Object.keys(Object(first)), ['two', 'one'])
      demandEqual('the first row', first, { two: null, one: 1 })
      demandEqual('the second row', second, { two: 'é \u{1F511} "\u0001"', one: Number(position) })
    },
  'Running a statement returns how many rows it changed, 0 for an ignored conflict.': async ({
    open,
  }) => {
    const handle = open()
    handle.exec(TABLE)
    const insert = handle.prepare(INSERT)
    demandEqual('the changes of an insert', insert.run(1, 'one').changes, 1)
    demandEqual('the changes of a conflict', insert.run(1, 'two').changes, 0)
    const all = handle.prepare('INSERT INTO law (number) VALUES (2), (3) RETURNING number').all()
    demandEqual('the rows that an insert returns', all, [{ number: 2 }, { number: 3 }])
  },
  'A rollback undoes its changes, and another handle sees committed changes.': async ({
    open,
    reopen,
  }) => {
    const handle = open()
    handle.exec(`PRAGMA journal_mode = WAL; ${TABLE}`)
    for (const end of ['COMMIT', 'ROLLBACK']) {
      handle.prepare('BEGIN IMMEDIATE').run()
      handle.prepare('INSERT INTO law (text) VALUES (?)').run(end)
      handle.prepare(end).run()
    }
    demandEqual('the row', reopen().prepare(SELECT).all(0), [{ two: 'COMMIT', one: 1 }])
  },
  'Errors have the code of SQLite, and after PRAGMA busy_timeout = 0 a locked file is reported at once.':
    async ({ open, reopen }) => {
      const handle = open()
      handle.exec(`PRAGMA journal_mode = WAL; ${TABLE}`)
      const other = reopen()
      other.exec('PRAGMA busy_timeout = 0')
      handle.prepare('BEGIN IMMEDIATE').run()
      const begin = performance.now()
      const busy = codeOf(thrownBy('a second writer', () => other.prepare('BEGIN IMMEDIATE').run()))
      demand(performance.now() - begin < 1_000, 'a locked file to be reported at once')
      demand(busy === 5 || /^SQLITE_BUSY/.test(String(busy)), `SQLITE_BUSY, not ${busy}`)
      handle.prepare('ROLLBACK').run()
      const wrong = codeOf(
        thrownBy('a missing table', () => handle.prepare('SELECT * FROM none').all()),
      )
      demand(wrong === 1 || /^SQLITE_ERROR/.test(String(wrong)), `SQLITE_ERROR, not ${wrong}`)
    },
})
