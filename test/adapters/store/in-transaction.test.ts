import { createRequire } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import Libsql from 'libsql'
import { describe, expect, test } from 'vitest'
import { inTransaction, openSqlite, type SqliteHandle } from '../../../src/adapters/sqlite/index.js'
import { type EventStore, type InTransaction, InTransactionFailed } from '../../../src/index.js'
import { firstOf, wholeLog } from '../../../src/laws/event-store/harness.js'
import { type InTransactionHarness, inTransactionLaws } from '../../../src/laws/index.js'
import { temporaryFile } from '../sqlite/temporary-file.js'

const BetterSqlite: new (file: string) => SqliteHandle = createRequire(import.meta.url)(
  'better-sqlite3-13',
)

const HANDLES = [
  ['a path', (file: string): SqliteHandle | string => file],
  ['node:sqlite', (file: string): SqliteHandle => new DatabaseSync(file)],
  ['better-sqlite3', (file: string): SqliteHandle => new BetterSqlite(file)],
  ['libsql', (file: string): SqliteHandle => new Libsql(file)],
] as const

const CREATE = 'CREATE TABLE host_row (text TEXT)'
const insertInto = (handle: SqliteHandle, row: string) =>
  handle.prepare('INSERT INTO host_row (text) VALUES (?)').run(row)

const harnessOf = (place: (file: string) => SqliteHandle | string): InTransactionHarness => {
  const files = new Map<EventStore, string>()
  const openAs = (file: string): EventStore => {
    const { store } = openSqlite(place(file))
    files.set(store, file)
    return store
  }
  return {
    open: async () => {
      const file = temporaryFile()
      const store = openAs(file)
      new DatabaseSync(file).exec(CREATE)
      return store
    },
    reopen: async (store) => openAs(files.get(store) ?? ''),
    insert: (row, then) =>
      inTransaction((handle) => {
        insertInto(handle, row)
        then?.()
      }),
    rows: async (store) =>
      new DatabaseSync(files.get(store) ?? '')
        .prepare('SELECT text FROM host_row ORDER BY rowid')
        .all()
        .map(({ text }) => String(text)),
  }
}

describe.each(HANDLES)('Rows of the host on %s', (_, place) => {
  const harness = harnessOf(place)

  test.each(inTransactionLaws)('$name', ({ check }) => check(harness))

  test('a function that returns a promise is refused, and records nothing', async () => {
    const store = await harness.open()
    // @ts-expect-error: it does not compile either.
    const late = inTransaction(async (handle) => void insertInto(handle, 'late'))
    const failure = await store
      .append({ ...firstOf('law-a'), inTransaction: late })
      .catch((thrown: unknown) => thrown)
    expect(failure).toBeInstanceOf(InTransactionFailed)
    expect(failure).toHaveProperty('objection', expect.stringContaining('before it returns'))
    expect(await wholeLog(store)).toEqual([])
    expect(await harness.rows(store)).toEqual([])
  })

  test('a deferred constraint that fails at the commit is a failure of the host', async () => {
    const store = await harness.open()
    const violate = inTransaction((handle) => {
      handle.exec('PRAGMA defer_foreign_keys = ON')
      handle.exec('INSERT INTO child (parent) VALUES (1)')
    })
    await store.append({
      ...firstOf('law-a'),
      inTransaction: inTransaction((handle) =>
        handle.exec(
          'CREATE TABLE parent (id INTEGER PRIMARY KEY); CREATE TABLE child (parent REFERENCES parent)',
        ),
      ),
    })
    const failure = await store
      .append({ ...firstOf('law-b'), inTransaction: violate })
      .catch((thrown: unknown) => thrown)
    // Drivers differ in whether they enforce foreign keys without being asked.
    if (failure instanceof Error) {
      expect(failure).toBeInstanceOf(InTransactionFailed)
      expect(await wholeLog(store)).toHaveLength(1)
    } else expect(await wholeLog(store)).toHaveLength(2)
  })

  test.each(['ROLLBACK', 'ROLLBACK; BEGIN', 'COMMIT; BEGIN'])(
    'a function that ends the transaction is reported, and no event is recorded: %s',
    async (statements) => {
      const store = await harness.open()
      const ending: InTransaction = inTransaction((handle) => handle.exec(statements))
      const appending = store.append({ ...firstOf('law-a'), inTransaction: ending })
      await expect(appending).rejects.toThrow(InTransactionFailed)
      expect(await wholeLog(store)).toEqual([])
      await store.append(firstOf('law-a'))
      expect(await wholeLog(store)).toHaveLength(1)
    },
  )
})
