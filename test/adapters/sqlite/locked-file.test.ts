import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { openSqlite, StoreFault, UnusableFile } from '../../../src/adapters/sqlite/index.js'
import { firstOf, record, verdict, wholeLog } from '../../../src/laws/event-store/harness.js'
import { temporaryFile } from './temporary-file.js'

/** Another program that keeps the file to itself until it is released. */
const lock = (path: string, begin = 'BEGIN IMMEDIATE') => {
  const database = new DatabaseSync(path)
  database.exec(begin)
  return {
    release: () => {
      database.exec('ROLLBACK')
      database.close()
    },
  }
}

/** Lets the event loop turn, through all of its phases. */
const turns = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n++) await new Promise((resolve) => setTimeout(resolve, 1))
}

/** Lets time pass that is not the system's until `promise` is settled; tells how much, in milliseconds. */
const timeUntil = async (promise: Promise<unknown>): Promise<number> => {
  let isSettled = false
  void promise.finally(() => {
    isSettled = true
  })
  let passed = 0
  for (; !isSettled; passed += 10) {
    await turns(3)
    vi.advanceTimersByTime(10)
  }
  return passed
}

const promptly = { busyTimeout: 20 }

describe('While another process has locked the file', () => {
  test('an append waits, the event loop turns on, and readers read', async () => {
    const path = temporaryFile()
    await using opened = openSqlite(path)
    const { store } = opened
    await record(store, firstOf('law-a'))
    const held = lock(path)
    let answer: unknown
    const appended = verdict(store, firstOf('law-b')).then((value) => {
      answer = value
    })
    await turns(20)
    expect(answer).toBeUndefined()
    expect((await wholeLog(store)).length).toBe(1)
    expect((await store.findAppend({ id: 'of none' })).length).toBe(0)
    held.release()
    await appended
    expect(answer).toBe(1)
  })

  test('an append waits in pauses of random length, for ten seconds by default', async () => {
    const path = temporaryFile()
    await using opened = openSqlite(path)
    const held = lock(path)
    const clock = vi.spyOn(performance, 'now').mockReturnValue(0)
    const chance = vi.spyOn(Math, 'random')
    onTestFinished(() => {
      clock.mockRestore()
      chance.mockRestore()
    })
    const appended = opened.store.append(firstOf('law-a')).catch((fault: unknown) => fault)
    await turns(5)
    expect(chance).not.toHaveBeenCalled()
    clock.mockReturnValue(9_999)
    await turns(20)
    expect(chance).toHaveBeenCalled()
    clock.mockReturnValue(10_000)
    expect(await appended).toMatchObject({ message: 'The file was locked for 10000 ms' })
    held.release()
  })

  test('an append is rejected in the end, for certain not recorded, and later ones succeed', async () => {
    const path = temporaryFile()
    await using opened = openSqlite(path, promptly)
    const { store } = opened
    const held = lock(path)
    const rejected = await Promise.allSettled([
      store.append(firstOf('law-a')),
      store.append(firstOf('law-b')),
      store.restore([]),
    ])
    for (const outcome of rejected) {
      const reason = { outcome: 'not_recorded', retryAfter: 1_000 }
      expect(outcome).toMatchObject({ status: 'rejected', reason })
      expect('reason' in outcome && outcome.reason).toBeInstanceOf(StoreFault)
    }
    held.release()
    expect(await verdict(store, firstOf('law-a'))).toBe(1)
    expect((await wholeLog(store)).length).toBe(1)
  })

  test('appends that wait together are rejected together', async () => {
    const path = temporaryFile()
    await using opened = openSqlite(path, promptly)
    const held = lock(path)
    let rejected = 0
    const appends = [1, 2, 3].map((n) =>
      opened.store.append(firstOf(`law-${n}`)).catch(() => {
        rejected++
      }),
    )
    await appends[0]
    await new Promise(setImmediate)
    expect(rejected).toBe(3)
    held.release()
  })

  test('appends that wait one after the other wait for one timeout, readers begin no other', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    vi.advanceTimersByTime(60_000)
    const path = temporaryFile()
    await using opened = openSqlite(path, { busyTimeout: 500 })
    await record(opened.store, firstOf('law-a'))
    const held = lock(path)
    const rejected: string[] = []
    const append = (name: `law-${string}`) =>
      opened.store.append(firstOf(name)).catch(() => rejected.push(name))
    const first = append('law-b')
    await turns(1)
    const second = append('law-c')
    expect((await wholeLog(opened.store)).length).toBe(1)
    expect(await timeUntil(first)).toBeGreaterThanOrEqual(500)
    expect((await wholeLog(opened.store)).length).toBe(1)
    // Each tries for 100 ms of its own: the lock may be another one.
    expect(await timeUntil(second)).toBeLessThan(300)
    expect(await timeUntil(append('law-d'))).toBeLessThan(300)
    expect(rejected).toEqual(['law-b', 'law-c', 'law-d'])
    held.release()
    // The next lock is another one.
    expect(await verdict(opened.store, firstOf('law-b'))).toBe(1)
    const again = lock(path)
    const waiting = append('law-e')
    await turns(5)
    expect(rejected.length).toBe(3)
    again.release()
    await waiting
    expect((await wholeLog(opened.store)).length).toBe(3)
  })

  test('what meets a lock that another call has met waits for it as well', async () => {
    vi.useFakeTimers({ toFake: ['performance'] })
    onTestFinished(() => void vi.useRealTimers())
    vi.advanceTimersByTime(60_000)
    const path = temporaryFile()
    await using opened = openSqlite(path)
    const held = lock(path)
    const waiting = [verdict(opened.store, firstOf('law-a')), opened.readModel.reset()]
    await turns(5)
    held.release()
    expect(await Promise.all(waiting)).toEqual([1, undefined])
  })

  test('a lock counts as another one when it was not met for a while, also after one that lasted too long', async () => {
    const path = temporaryFile()
    await using opened = openSqlite(path, { busyTimeout: 500 })
    const held = lock(path)
    await expect(opened.store.append(firstOf('law-a'))).rejects.toThrow('locked for 500 ms')
    held.release()
    await new Promise((resolve) => setTimeout(resolve, 200))
    const again = lock(path)
    const appended = verdict(opened.store, firstOf('law-a')).catch(() => 'rejected')
    await turns(5)
    again.release()
    expect(await appended).toBe(1)
  })

  test('a short lock right after one that lasted too long is waited for', async () => {
    const path = temporaryFile()
    await using opened = openSqlite(path, { busyTimeout: 300 })
    const held = lock(path)
    await expect(opened.store.append(firstOf('law-a'))).rejects.toThrow('locked for 300 ms')
    held.release()
    const again = lock(path)
    const appended = verdict(opened.store, firstOf('law-a')).catch(() => 'rejected')
    await turns(5)
    again.release()
    expect(await appended).toBe(1)
  })

  test('a locked file of another program can be opened, but nothing is recorded', async () => {
    const path = temporaryFile()
    const other = new DatabaseSync(path)
    other.exec('CREATE TABLE other (value); BEGIN EXCLUSIVE')
    await using opened = openSqlite(path)
    const appended = opened.store.append(firstOf('law-a')).catch((fault: unknown) => fault)
    await turns(5)
    other.exec('COMMIT')
    other.close()
    const fault = await appended
    expect(fault).toBeInstanceOf(StoreFault)
    expect(fault).toMatchObject({ outcome: 'not_recorded', cause: expect.any(UnusableFile) })
  })

  test('a new file can be opened, and is set up once it is free', async () => {
    const path = temporaryFile()
    const held = lock(path, 'BEGIN EXCLUSIVE')
    await using opened = openSqlite(path)
    const appended = verdict(opened.store, firstOf('law-a'))
    await turns(10)
    held.release()
    expect(await appended).toBe(1)
  })

  test('a new file rejects every call while it stays locked', async () => {
    const path = temporaryFile()
    const held = lock(path, 'BEGIN EXCLUSIVE')
    await using opened = openSqlite(path, promptly)
    await expect(opened.store.readAll(0n, 1)).rejects.toBeInstanceOf(StoreFault)
    await expect(opened.store.append(firstOf('law-a'))).rejects.toBeInstanceOf(StoreFault)
    held.release()
    expect(await opened.store.readAll(0n, 1)).toEqual([])
  })

  test('a reader of the rollback journal does not keep a new file from being set up', async () => {
    const path = temporaryFile()
    const held = lock(path, 'BEGIN; SELECT count(*) FROM sqlite_schema')
    await using opened = openSqlite(path)
    const appended = verdict(opened.store, firstOf('law-a'))
    await turns(5)
    held.release()
    expect(await appended).toBe(1)
  })
})

describe('Two handles on one file', () => {
  test('write in turns and agree on one order', async () => {
    const path = temporaryFile()
    await using first = openSqlite(path)
    await using second = openSqlite(path)
    const appends = Array.from({ length: 50 }, (_, n) =>
      verdict((n % 2 ? first : second).store, firstOf(`law-${n % 30}`)),
    )
    const recorded = (await Promise.all(appends)).filter((answer) => answer === 1)
    expect(recorded.length).toBe(30)
    const log = await wholeLog(first.store)
    expect(log.length).toBe(30)
    expect(await wholeLog(second.store)).toEqual(log)
  })

  test('may be opened at once on a new file', async () => {
    const path = temporaryFile()
    const opened = Array.from({ length: 5 }, () => openSqlite(path))
    const verdicts = await Promise.all(
      opened.map(({ store }, n) => verdict(store, firstOf(`law-${n}`))),
    )
    expect(verdicts).toEqual([1, 1, 1, 1, 1])
    for (const { close } of opened) await close()
  })

  test('leave a program free to end while it waits for appends', async () => {
    const program = `
      import { openSqlite } from 'claviger/sqlite'
      openSqlite(${JSON.stringify(temporaryFile())}).store.onAppend(() => {})`
    const flags = ['--input-type=module', '--eval', program]
    const child = spawn(process.execPath, flags, { stdio: 'inherit', timeout: 10_000 })
    expect(await once(child, 'exit')).toEqual([0, null])
  })
})
