import { copyFileSync, existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { DatabaseSync } from 'node:sqlite'
import Libsql from 'libsql'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { type Database, openDatabase, setUp } from '../../../src/adapters/sqlite/connection.js'
import { isBusy } from '../../../src/adapters/sqlite/faults.js'
import {
  openSqlite,
  type Sqlite,
  type SqliteHandle,
  type SqliteOptions,
  StoreFault,
  UnusableFile,
} from '../../../src/adapters/sqlite/index.js'
import { firstOf, record, wholeLog } from '../../../src/laws/event-store/harness.js'
import { temporaryFile } from './temporary-file.js'

const BetterSqlite: new (
  file: string,
) => SqliteHandle & { defaultSafeIntegers(isOn: boolean): SqliteHandle } = createRequire(
  import.meta.url,
)('better-sqlite3-13')

const reasonOf = (path: string, options?: SqliteOptions): unknown => {
  try {
    openSqlite(path, options)
  } catch (error) {
    return error instanceof UnusableFile ? error.reason : error
  }
  return 'opened'
}

const withDatabase = (path: string, sql: string): void => {
  const database = new DatabaseSync(path)
  database.exec(sql)
  database.close()
}

describe('A file that is not ours', () => {
  test('is refused and unchanged when it holds tables of another program', () => {
    const path = temporaryFile()
    withDatabase(path, 'CREATE TABLE events (id INTEGER)')
    const before = readFileSync(path)
    expect(reasonOf(path)).toBe('foreign')
    expect(readFileSync(path)).toEqual(before)
  })

  test('is refused when a view stands in place of a table, which may be endless', async () => {
    const path = temporaryFile()
    await openSqlite(path).close()
    withDatabase(
      path,
      `DROP TABLE events; CREATE VIEW events AS
         WITH RECURSIVE endless (position) AS (SELECT 1 UNION ALL SELECT position + 1 FROM endless)
         SELECT position FROM endless`,
    )
    expect(reasonOf(path)).toBe('foreign')
    expect(reasonOf(path, { migrate: false })).toBe('foreign')
    expect(() => openSqlite(path)).toThrow('has a view events: only claviger')
  })

  test.skipIf(process.platform === 'win32')(
    'is one that its owner alone may read, with the files beside it',
    async () => {
      const path = temporaryFile()
      const before = process.umask(0o022)
      onTestFinished(() => void process.umask(before))
      await using opened = openSqlite(path)
      await opened.readModel.checkpoint()
      for (const name of [path, `${path}-wal`, `${path}-shm`])
        expect(statSync(name).mode & 0o777).toBe(0o600)
    },
  )

  test('is refused when another program has marked it', () => {
    const path = temporaryFile()
    withDatabase(path, 'PRAGMA application_id = 7')
    expect(reasonOf(path)).toBe('foreign')
    withDatabase(path, 'PRAGMA application_id = 0; PRAGMA user_version = 7')
    expect(reasonOf(path)).toBe('foreign')
  })

  test('is refused and closed if it is not a database', () => {
    const path = temporaryFile()
    writeFileSync(path, 'name,role\n'.repeat(1000))
    const closing = vi.spyOn(DatabaseSync.prototype, 'close')
    onTestFinished(() => closing.mockRestore())
    expect(reasonOf(path)).toBe('not_a_database')
    expect(closing).toHaveBeenCalledOnce()
  })

  test('is a fault when it cannot be set up', () => {
    const path = temporaryFile()
    writeFileSync(path, '')
    expect(() => openSqlite(`file:${path}?mode=ro`)).toThrow(StoreFault)
  })

  test('is refused when it cannot be opened', () => {
    expect(reasonOf(`${temporaryFile()}/missing/iam.db`)).toBe('cannot_open')
    const folder = temporaryFile()
    mkdirSync(folder)
    expect(reasonOf(folder)).toBe('cannot_open')
    // As of an environment variable that is not set; SQLite would keep it as long as it is open.
    for (const nothing of ['', 'file:']) expect(reasonOf(nothing)).toBe('cannot_open')
  })
})

describe('A file that must be there', () => {
  const migrate = false

  test('is opened as it is', async () => {
    const path = temporaryFile()
    await openSqlite(path).close()
    const before = readFileSync(path)
    await using opened = openSqlite(path, { migrate })
    expect(await opened.store.lastPosition()).toBe(0n)
    expect(readFileSync(path)).toEqual(before)
  })

  test('is opened as it is, also a copy that SQLite has made, which has another journal', async () => {
    const path = temporaryFile()
    await openSqlite(path).close()
    const copy = temporaryFile()
    withDatabase(path, `VACUUM INTO '${copy}'`)
    const before = readFileSync(copy)
    const opened = openSqlite(copy, { migrate })
    expect(await opened.store.lastPosition()).toBe(0n)
    await opened.close()
    expect(readFileSync(copy)).toEqual(before)
  })

  test('is not created', () => {
    const path = temporaryFile()
    expect(reasonOf(path, { migrate })).toBe('not_migrated')
    expect(existsSync(path)).toBe(false)
  })

  test('may be named by a URI', () => {
    const path = temporaryFile()
    for (const uri of [`file:${path}`, `file:${path}?cache=private`])
      expect(reasonOf(uri, { migrate })).toBe('cannot_open')
    expect(existsSync(path)).toBe(false)
    expect(reasonOf(path)).toBe('opened')
    for (const uri of [`file:${path}`, `file:${path}?cache=private`, `file:${path}?mode=ro`])
      expect(reasonOf(uri, { migrate })).toBe('opened')
  })

  test('is refused and unchanged when it has no tables, or those of an older version', () => {
    const path = temporaryFile()
    writeFileSync(path, '')
    expect(reasonOf(path, { migrate })).toBe('not_migrated')
    expect(readFileSync(path)).toHaveLength(0)
    withDatabase(path, 'PRAGMA application_id = 0x636c6176')
    expect(reasonOf(path, { migrate })).toBe('not_migrated')
    expect(reasonOf(path)).toBe('opened')
  })
})

describe('An option of a wrong type', () => {
  test.each([
    ['busyTimeout', 'a number', ['5', null, Number.NaN]],
    ['now', 'a function', ['2026', null, {}]],
    ['migrate', 'a boolean', ['no', null, 0]],
  ])('is refused, and no file is made: %s must be %s', (option, what, wrong) => {
    const path = temporaryFile()
    for (const value of wrong) {
      expect(() => openSqlite(path, { [option]: value } as never)).toThrow(
        new TypeError(`${option} must be ${what}`),
      )
    }
    expect(existsSync(path)).toBe(false)
  })
})

describe('An option that there is not', () => {
  test('is refused by its name, and no file is made', () => {
    const path = temporaryFile()
    expect(() => openSqlite(path, { busyTimeOut: 5, clock: undefined } as never)).toThrow(
      new TypeError(
        'openSqlite has no option busyTimeOut, clock; it has now, busyTimeout, migrate, views',
      ),
    )
    expect(existsSync(path)).toBe(false)
  })
})

describe('A new file', () => {
  /** What another process may try at any time. */
  const triesToSetUp = (database: Database): void => {
    try {
      setUp(database)
    } catch (error) {
      if (!isBusy(error)) throw error
    }
  }

  test('is not taken for that of another program while another process sets it up', () => {
    const path = temporaryFile()
    const own = openDatabase(path)
    const other = openDatabase(path)
    const value: Database['value'] = (sql, ...parameters) => {
      const found = own.value(sql, ...parameters)
      triesToSetUp(other)
      return found
    }
    setUp({ ...own, value })
    setUp(other)
    expect(other.value('SELECT count(*) FROM events')).toBe(0)
    own.close()
    other.close()
  })
})

describe('A file that leaves its block', () => {
  test('is closed, and its handle given back', async () => {
    const path = temporaryFile()
    let store: Sqlite['store']
    {
      await using opened = openSqlite(path)
      store = opened.store
      await record(store, firstOf('law-a'))
    }
    await expect(store.lastPosition()).rejects.toThrow(StoreFault)
    // The last handle takes them away.
    expect(existsSync(`${path}-wal`)).toBe(false)
  })
})

describe('A file of a newer version', () => {
  test('is refused and unchanged', async () => {
    const path = temporaryFile()
    await openSqlite(path).close()
    withDatabase(path, 'PRAGMA user_version = 2')
    const before = readFileSync(path)
    expect(reasonOf(path)).toBe('newer')
    expect(readFileSync(path)).toEqual(before)
  })
})

describe('An open file', () => {
  test('may begin empty', async () => {
    const path = temporaryFile()
    writeFileSync(path, '')
    await using opened = openSqlite(path)
    expect(await wholeLog(opened.store)).toEqual([])
  })

  test('is written ahead and flushed with every commit', async () => {
    const path = temporaryFile()
    await using opened = openSqlite(path)
    await record(opened.store, firstOf('law-a'))
    // What a crash leaves: the file and its write-ahead log, without a checkpoint.
    const copy = temporaryFile()
    for (const part of ['', '-wal']) copyFileSync(`${path}${part}`, `${copy}${part}`)
    await using recovered = openSqlite(copy)
    expect(await wholeLog(recovered.store)).toEqual(await wholeLog(opened.store))
  })

  test('is not looked at any more once it is closed, though somebody still listens', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    onTestFinished(() => {
      vi.useRealTimers()
    })
    const { store, close } = openSqlite(temporaryFile())
    store.onAppend?.(() => undefined)
    await vi.advanceTimersByTimeAsync(100)
    expect(vi.getTimerCount()).toBe(1)
    await close()
    await vi.advanceTimersByTimeAsync(100)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('answers nothing once it is closed', async () => {
    const opened = openSqlite(temporaryFile())
    const { store } = opened
    const unanswered = expect(store.append(firstOf('law-a'))).rejects.toThrow('is closed')
    await opened.close()
    await opened.close()
    await unanswered
    const calls = [
      store.append(firstOf('law-a')),
      store.readStream('law-a'),
      store.readAll(0n, 1),
      store.lastPosition(),
      store.findAppend({ id: 'x' }),
      store.restore([]),
    ]
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { outcome: 'not_recorded' } })
      expect(outcome).toHaveProperty('reason.message', 'The database is closed')
      expect('reason' in outcome && outcome.reason).toBeInstanceOf(StoreFault)
    }
  })
})

/** Handles of drivers whose integers are bigints unless a statement asks for numbers. */
const BIGINT_HANDLES = [
  ['node:sqlite', (file: string) => new DatabaseSync(file, { readBigInts: true })],
  ['better-sqlite3', (file: string) => new BetterSqlite(file).defaultSafeIntegers(true)],
  ['libsql', (file: string) => new Libsql(file).defaultSafeIntegers(true)],
] as const

test.each(BIGINT_HANDLES)(
  'A handle of %s that returns bigints stays as it is.',
  async (_, open) => {
    const handle: SqliteHandle = open(temporaryFile())
    const { store, readModel } = openSqlite(handle, { views: true })
    const [first] = await record(store, firstOf('law-a'))
    expect(await wholeLog(store)).toMatchObject([{ position: first?.position, version: 1 }])
    expect(await readModel.checkpoint()).toBe(0n)
    expect(handle.prepare('SELECT count(*) AS n FROM events').all()).toMatchObject([{ n: 1n }])
  },
)

test('At most two hundred prepared statements are cached.', () => {
  const preparing = vi.spyOn(DatabaseSync.prototype, 'prepare')
  onTestFinished(() => preparing.mockRestore())
  const database = openDatabase(':memory:')
  for (let number = 0; number <= 200; number++) database.value(`SELECT ${number}`)
  database.value('SELECT 200')
  expect(preparing).toHaveBeenCalledTimes(201)
  database.value('SELECT 0')
  expect(preparing).toHaveBeenCalledTimes(202)
  database.close()
})
