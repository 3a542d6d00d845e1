import { DatabaseSync, StatementSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { memoryEventStore } from '../../../../src/adapters/memory/event-store.js'
import { openSqlite, type Sqlite } from '../../../../src/adapters/sqlite/index.js'
import {
  appendOf,
  firstOf,
  record,
  verdict,
  wholeLog,
  write,
} from '../../../../src/laws/event-store/harness.js'
import { eventClockLaws, eventRestoreLaws, eventStoreLaws } from '../../../../src/laws/index.js'
import { temporaryFile } from '../temporary-file.js'

type Store = Sqlite['store']

/** Opens stores of one law in files of their own, and closes them all. */
const files = () => {
  const open = new Map<Store, { path: string; opened: Sqlite }>()
  const openAs = (path: string, now?: () => Date): Store => {
    const opened = openSqlite(path, now && { now })
    open.set(opened.store, { path, opened })
    return opened.store
  }
  return {
    open: async () => openAs(temporaryFile()),
    openAt: async (now: () => Date) => openAs(temporaryFile(), now),
    reopen: async (store: Store) => openAs(open.get(store)?.path ?? ''),
    [Symbol.asyncDispose]: async () => {
      for (const { opened } of open.values()) await opened.close()
    },
  }
}

/** Stores in memory, which have no second handle. */
const inMemory = {
  open: async () => openSqlite(':memory:').store,
  openAt: async (now: () => Date) => openSqlite(':memory:', { now }).store,
  reopen: async (store: Store) => store,
}

const LAWS = [...eventStoreLaws, ...eventRestoreLaws, ...eventClockLaws]

describe('The SQLite event store', () => {
  for (const { name, check } of LAWS) {
    test(name, async () => {
      await using harness = files()
      await check(harness)
    })
  }
})

describe('The SQLite event store in memory', () => {
  for (const { name, check } of LAWS) test(name, () => check(inMemory))
})

describe('A file', () => {
  test('holds everything after it was closed and opened again', async () => {
    const path = temporaryFile()
    const before = openSqlite(path)
    await record(before.store, firstOf('law-a', { idempotencyKey: 'key' }))
    const log = await wholeLog(before.store)
    await before.close()

    await using after = openSqlite(path)
    expect(await wholeLog(after.store)).toEqual(log)
    expect(await verdict(after.store, firstOf('law-b', { idempotencyKey: 'key' }))).toEqual({
      kind: 'IdempotencyKeyUsed',
    })
    const [next] = await record(after.store, appendOf([write('law-a', 1, {})]))
    expect(next?.version).toBe(2)
  })

  test('takes a copy of another store', async () => {
    const source = memoryEventStore()
    for (let n = 0; n < 10; n++) await record(source, firstOf(`law-${n}`))
    await using target = openSqlite(temporaryFile())
    await target.store.restore(await wholeLog(source))
    expect(await wholeLog(target.store)).toEqual(await wholeLog(source))
  })
})

test('The events of an append are found without those that others record meanwhile.', async () => {
  const path = temporaryFile()
  await using opened = openSqlite(path)
  const append = firstOf('law-a')
  const recorded = await record(opened.store, append)
  const other = new DatabaseSync(path)
  const { all } = StatementSync.prototype
  let queries = 0
  const reading = vi.spyOn(StatementSync.prototype, 'all')
  onTestFinished(() => reading.mockRestore())
  reading.mockImplementation(function (this: StatementSync, ...parameters) {
    const rows = all.apply(this, parameters)
    // Once it is known that no append follows.
    if (++queries === 2)
      other.exec(`INSERT INTO events SELECT position + 1, 'law-b', version, type, schema_version,
        data, metadata, 'other', begins_append, NULL FROM events`)
    return rows
  })

  expect(await opened.store.findAppend({ id: append.id })).toEqual(recorded)
  reading.mockRestore()
  expect(await wholeLog(opened.store)).toHaveLength(2)
  other.close()
})

describe('Appends sent together', () => {
  test('are checked independently', async () => {
    await using opened = openSqlite(temporaryFile())
    const { store } = opened
    await record(store, firstOf('law-project', { idempotencyKey: 'key' }))
    const verdicts = await Promise.all([
      verdict(store, firstOf('law-a')),
      verdict(store, appendOf([write('law-project', 2), write('law-b', 0, {})])),
      verdict(store, appendOf([write('law-project', 1), write('law-c', 0, {})])),
      verdict(store, firstOf('law-d', { idempotencyKey: 'key' })),
      verdict(store, appendOf([write('law-e', 0, {}), write('law-f', 3, {})])),
      verdict(store, appendOf([write('law-project', 1), write('law-project-2', 0)])),
      verdict(store, firstOf('law-g')),
    ])
    const conflict = (stream: string) => ({ kind: 'VersionConflict', stream })
    expect(verdicts).toEqual([
      1,
      conflict('law-project'),
      1,
      { kind: 'IdempotencyKeyUsed' },
      conflict('law-f'),
      0,
      1,
    ])
    const streams = (await wholeLog(store)).map(({ stream }) => stream)
    expect(streams).toEqual(['law-project', 'law-a', 'law-c', 'law-g'])
  })

  test('are not affected by an append whose data is not JSON', async () => {
    await using opened = openSqlite(temporaryFile())
    const cyclic: { self?: object } = {}
    cyclic.self = cyclic
    const outcomes = await Promise.allSettled([
      verdict(opened.store, firstOf('law-a')),
      verdict(opened.store, appendOf([write('law-b', 0, { big: 1n })])),
      verdict(opened.store, appendOf([write('law-c', 0, cyclic)])),
      verdict(opened.store, firstOf('law-d')),
    ])
    expect(outcomes.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
      'fulfilled',
    ])
  })
})

describe('A listener for new events', () => {
  test('is called for those of other processes until it is removed, and again when added later', async () => {
    const path = temporaryFile()
    await using opened = openSqlite(path)
    await using other = openSqlite(path)
    const news = () => {
      let end = () => {}
      const heard = new Promise<void>((resolve) => {
        end = opened.store.onAppend?.(resolve) ?? end
      })
      return { heard, end: () => end() }
    }
    const [first, second] = [news(), news()]
    first.end()
    await record(other.store, firstOf('law-a'))
    await second.heard
    second.end()
    const third = news()
    await opened.store.lastPosition()
    await record(other.store, firstOf('law-b'))
    await third.heard
    third.end()
  })

  test('ends the checks for them when it is removed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    await using opened = openSqlite(temporaryFile())
    const end = opened.store.onAppend?.(() => undefined)
    await vi.advanceTimersByTimeAsync(1_000)
    expect(vi.getTimerCount()).toBe(1)
    end?.()
    await vi.advanceTimersByTimeAsync(1_000)
    expect(vi.getTimerCount()).toBe(0)
  })
})
