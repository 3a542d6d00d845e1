import { createRequire } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import type { SyncDatabase } from '../../../src/adapters/sql/sqlite/dialect.js'
import {
  inTransaction,
  openConnection,
  openDatabase,
  setUp,
} from '../../../src/adapters/sqlite/connection.js'
import { sqliteEventStore } from '../../../src/adapters/sqlite/event-store.js'
import {
  inTransaction as inHostTransaction,
  openSqlite,
  type SqliteHandle,
  type SqliteStatement,
} from '../../../src/adapters/sqlite/index.js'
import {
  appendOf,
  firstOf,
  verdict,
  wholeLog,
  write,
} from '../../../src/laws/event-store/harness.js'
import { StoreFault } from '../../../src/ports/event-store.js'
import { temporaryFile } from './temporary-file.js'

interface BetterHandle extends SqliteHandle {
  prepare(sql: string): SqliteStatement & { iterate(): Iterator<unknown> }
}
const BetterSqlite: new (file: string) => BetterHandle = createRequire(import.meta.url)(
  'better-sqlite3-13',
)

/** `database`, except that `before` is called with each statement that is about to run. */
const intercepted = (database: SyncDatabase, before: (sql: string) => void): SyncDatabase => ({
  ...database,
  run: (sql, ...parameters) => {
    before(sql)
    return database.run(sql, ...parameters)
  },
})

const IO_ERROR = Object.assign(new Error('disk I/O error'), { errcode: 10 })

const FULL = Object.assign(new Error('database or disk is full'), { errcode: 13 })

const failing = (database: SyncDatabase, statement: string, fault = IO_ERROR): SyncDatabase =>
  intercepted(database, (sql) => {
    if (sql === statement) throw fault
  })

const insert = (database: SyncDatabase) => database.run('INSERT INTO kept VALUES (1)')

test('A list is sorted in memory, because a temporary folder may be missing.', async () => {
  const connection = openConnection(temporaryFile())
  expect(await connection.query((database) => database.value('PRAGMA temp_store'))).toBe(2)
  connection.close()
})

test('A commit is on disk before it is answered.', async () => {
  const connection = openConnection(temporaryFile())
  expect(await connection.query((database) => database.value('PRAGMA synchronous'))).toBe(2)
  connection.close()
})

const withTable = (): SyncDatabase => {
  const database = openDatabase(':memory:')
  database.script('CREATE TABLE kept (value)')
  return database
}

describe('A transaction', () => {
  test('that fails to commit has an unknown outcome', () => {
    const database = failing(withTable(), 'COMMIT')
    const fault = faultOf(() => inTransaction(database, 'BEGIN IMMEDIATE', insert))
    expect(fault).toMatchObject({ outcome: 'unknown', message: 'SQLite: disk I/O error' })
  })

  test('that finds the disk full at the commit was not recorded', () => {
    const database = failing(withTable(), 'COMMIT', FULL)
    const fault = faultOf(() => inTransaction(database, 'BEGIN IMMEDIATE', insert))
    expect(fault).toMatchObject({ outcome: 'not_recorded', cause: FULL })
    expect(database.value('SELECT count(*) FROM kept')).toBe(0)
  })

  test('that fails before was not recorded', () => {
    const database = withTable()
    const fault = faultOf(() =>
      inTransaction(database, 'BEGIN IMMEDIATE', () => {
        insert(database)
        database.run('INSERT INTO missing VALUES (1)')
      }),
    )
    expect(fault).toMatchObject({ outcome: 'not_recorded' })
    expect(fault).toBeInstanceOf(StoreFault)
    expect(database.value('SELECT count(*) FROM kept')).toBe(0)
  })

  test('throws the error of its work, with nothing recorded', () => {
    const database = withTable()
    const bug = new TypeError('a bug')
    const fault = faultOf(() =>
      inTransaction(database, 'BEGIN IMMEDIATE', () => {
        insert(database)
        throw bug
      }),
    )
    expect(fault).toBe(bug)
    expect(database.value('SELECT count(*) FROM kept')).toBe(0)
  })

  test('does not end one that the host has begun on its handle', async () => {
    const handle = new DatabaseSync(':memory:')
    const { store } = openSqlite(handle)
    handle.exec('CREATE TABLE kept (value); BEGIN; INSERT INTO kept VALUES (1)')
    const fault = await store.append(firstOf('law-a')).catch((thrown: unknown) => thrown)
    expect(fault).toMatchObject({ outcome: 'not_recorded' })
    handle.exec('INSERT INTO kept VALUES (2); COMMIT')
    expect(handle.prepare('SELECT value FROM kept').all()).toMatchObject([
      { value: 1 },
      { value: 2 },
    ])
    expect(await verdict(store, firstOf('law-a'))).toBe(1)
  })
})

test('A transaction that the driver refuses to end, because a host reads rows, is ended by the next.', async () => {
  const handle = new BetterSqlite(temporaryFile())
  const { store } = openSqlite(handle)
  handle.exec('CREATE TABLE kept (value); INSERT INTO kept VALUES (1), (2)')
  const reading: Iterator<unknown>[] = []
  const read = inHostTransaction((lent: typeof handle) => {
    lent.exec('DELETE FROM kept')
    reading.push(lent.prepare('SELECT 1 UNION SELECT 2').iterate())
    reading[0]?.next()
  })
  const append = store.append({ ...firstOf('law-a'), inTransaction: read })
  await expect(append).rejects.toMatchObject({ cause: { message: /busy executing a query/ } })
  reading[0]?.return?.()
  expect(await verdict(store, firstOf('law-a'))).toBe(1)
  expect(handle.prepare('SELECT value FROM kept').all()).toHaveLength(2)
})

test('A call while the host iterates rows on a handle of better-sqlite3 is not recorded, and says what to do.', async () => {
  const handle = new BetterSqlite(temporaryFile())
  const { store } = openSqlite(handle)
  expect(await verdict(store, firstOf('law-a'))).toBe(1)
  const rows = handle.prepare('SELECT 1 UNION SELECT 2').iterate()
  rows.next()
  const refused = {
    outcome: 'not_recorded',
    message: expect.stringMatching(/iterating rows .* End the iteration before the call/),
    cause: { message: /busy executing a query/ },
  }
  await expect(store.append(firstOf('law-b'))).rejects.toMatchObject(refused)
  rows.return?.()
  expect(await verdict(store, firstOf('law-b'))).toBe(1)
})

describe('A store', () => {
  test('does not send a group again when it may have been recorded', async () => {
    const database = openDatabase(':memory:')
    setUp(database)
    let begun = 0
    const counting = intercepted(database, (sql) => {
      if (sql === 'BEGIN IMMEDIATE') begun++
    })
    const store = sqliteEventStore({
      ...openConnection(':memory:'),
      write: async (work) => inTransaction(failing(counting, 'COMMIT'), 'BEGIN IMMEDIATE', work),
    })
    const outcomes = await Promise.allSettled([1, 2].map((n) => store.append(firstOf(`law-${n}`))))
    for (const outcome of outcomes) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { outcome: 'unknown' } })
    }
    expect(begun).toBe(1)
  })

  test('sends the appends of a group one by one when the disk was full for them together', async () => {
    const database = openDatabase(':memory:')
    setUp(database)
    let inserts = 0
    const store = sqliteEventStore({
      ...openConnection(':memory:'),
      write: async (work) => {
        inserts = 0
        const small = intercepted(database, (sql) => {
          if (sql.startsWith('INSERT')) inserts++
          if (sql === 'COMMIT' && inserts > 1) throw FULL
        })
        return inTransaction(small, 'BEGIN IMMEDIATE', work)
      },
    })
    const verdicts = await Promise.all([1, 2, 3].map((n) => verdict(store, firstOf(`law-${n}`))))
    expect(verdicts).toEqual([1, 1, 1])
  })

  test('that is full records what still fits', async () => {
    const connection = openConnection(temporaryFile())
    const store = sqliteEventStore(connection)
    await connection.query((database) => database.script('PRAGMA max_page_count = 40'))
    const large = appendOf([write('law-large', 0, { text: 'x'.repeat(1_000_000) })])
    const [before, full, after] = await Promise.allSettled([
      verdict(store, firstOf('law-a')),
      verdict(store, large),
      verdict(store, firstOf('law-b')),
    ])
    expect([before, after]).toEqual([
      { status: 'fulfilled', value: 1 },
      { status: 'fulfilled', value: 1 },
    ])
    expect(full).toMatchObject({ status: 'rejected', reason: { outcome: 'not_recorded' } })
    expect((await wholeLog(store)).map(({ stream }) => stream)).toEqual(['law-a', 'law-b'])
    connection.close()
  })
})

describe('Setting up a file', () => {
  test('does nothing twice when another process is faster', () => {
    const path = temporaryFile()
    const faster = openDatabase(path)
    const slower = openDatabase(path)
    let isFirst = true
    setUp(
      intercepted(slower, (sql) => {
        if (sql === 'BEGIN IMMEDIATE' && isFirst) {
          isFirst = false
          setUp(faster)
        }
      }),
    )
    expect(isFirst).toBe(false)
    expect(slower.value('SELECT count(*) FROM events')).toBe(0)
    faster.close()
    slower.close()
  })
})

const faultOf = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (fault) {
    return fault
  }
}
