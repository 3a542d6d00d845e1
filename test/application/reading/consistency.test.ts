import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import { type EventStore, memoryReadModel, type ReadModel, StoreFault } from '../../../src/index.js'
import { temporaryFile } from '../../adapters/sqlite/temporary-file.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import {
  addAllSamples,
  addSamples,
  context,
  good,
  type Iam,
  iamOn,
  refusal,
  start,
} from '../host.js'
import { reads } from '../method/methods.js'

let store: EventStore
let iam: Iam

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addAllSamples(iam)
})

const portal = { id: 'portal' }
const eventual = { ...context, consistency: 'eventual' } as const
const rename = (name: string) =>
  good(iam.projects.update({ ...PROJECT_DEFAULTS, ...portal, name }, context))

/** A promise that the test resolves. */
const gate = () => {
  let open: () => void = () => undefined
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { open, opened }
}

it('shows a strong read what every process wrote before it', async () => {
  const other = iamOn(store)
  expect(await refusal(other.projects.get(portal, eventual))).toMatchObject({ kind: 'Unavailable' })
  expect(await good(other.projects.get(portal, context))).toMatchObject({ name: 'Portal' })
  await rename('renamed')
  expect(await good(other.projects.get(portal, eventual))).toMatchObject({ name: 'Portal' })
  expect(await good(other.projects.list({}, eventual))).toMatchObject({
    items: [{ name: 'Portal' }],
  })
  expect(await good(other.projects.list({}, context))).toMatchObject({
    items: [{ name: 'renamed' }],
  })
  expect(await good(other.projects.get(portal, eventual))).toMatchObject({ name: 'renamed' })
})

it('does not read the store for an eventual read', async () => {
  const unreachable = { ...store, lastPosition: () => Promise.reject(new Error('was asked')) }
  const readModel = memoryReadModel()
  await good(iamOn(store, { readModel }).projects.list({}, context))
  const late = iamOn(unreachable, { readModel })
  for (const { name, of, input } of reads)
    if (!/stateAt|explain|revealClientSecret/.test(name)) await good(of(late)(input, eventual))
  expect(await refusal(late.projects.get(portal, context))).toMatchObject({ kind: 'Unavailable' })
})

it('catches up once for concurrent reads', async () => {
  let pages = 0
  const counting = iamOn({
    ...store,
    readAll: (after, limit) => {
      pages++
      return store.readAll(after, limit)
    },
  })
  await Promise.all(Array.from({ length: 20 }, () => good(counting.projects.get(portal, context))))
  expect(pages).toBe(1)
})

/** A read model in the same database as its store, which three events are in. */
const sameDatabase = async () => {
  const opened = openSqlite(temporaryFile())
  onTestFinished(() => opened.close())
  const sqlite = iamOn(opened.store, opened)
  await addSamples(sqlite)
  return { opened, sqlite }
}

it('uses the result of a read model of the same database, without a read of its checkpoint', async () => {
  const { opened, sqlite } = await sameDatabase()
  const checkpoint = vi.spyOn(opened.readModel, 'checkpoint')
  expect(await good(sqlite.projects.get(portal, context))).toMatchObject({ name: 'Portal' })
  expect(checkpoint).not.toHaveBeenCalled()
})

it('reads the checkpoint of a read model of the same database when that applied nothing', async () => {
  const { opened, sqlite } = await sameDatabase()
  vi.spyOn(opened.readModel, 'apply').mockResolvedValueOnce(false)
  const checkpoint = vi.spyOn(opened.readModel, 'checkpoint')
  expect(await good(sqlite.projects.get(portal, context))).toMatchObject({ name: 'Portal' })
  expect(checkpoint).toHaveBeenCalledTimes(1)
})

it('does not wait for a catch-up without progress', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const readModel = memoryReadModel()
  let pages = 0
  const losing = iamOn(
    {
      ...store,
      // The first answer never arrives, as with a connection that hangs.
      readAll: (after, limit) =>
        pages++ === 0 ? new Promise(() => undefined) : store.readAll(after, limit),
    },
    { readModel },
  )
  const controller = new AbortController()
  const patient = { ...context, signal: controller.signal }
  const first = losing.projects.get(portal, patient)
  await new Promise((resolve) => setImmediate(resolve))
  vi.advanceTimersByTime(4_999)
  const second = losing.projects.get(portal, patient)
  await new Promise((resolve) => setImmediate(resolve))
  expect(pages).toBe(1)
  vi.advanceTimersByTime(1)
  const others = Array.from({ length: 5 }, () => good(losing.projects.get(portal, context)))
  expect(await Promise.all(others)).toMatchObject(Array(5).fill({ name: 'Portal' }))
  expect(pages).toBe(2)
  await rename('renamed')
  expect(await good(losing.projects.get(portal, context))).toMatchObject({ name: 'renamed' })
  expect(pages).toBe(3)
  controller.abort()
  expect(await refusal(first)).toEqual({ kind: 'Cancelled' })
  expect(await refusal(second)).toEqual({ kind: 'Cancelled' })
})

it('does not wait for a catch-up that stopped making progress, after others that made none', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let pages = 0
  const losing = iamOn({
    ...store,
    readAll: async (after, limit) => {
      pages++
      if (pages === 4) return store.readAll(after, 1)
      return pages === 5 ? new Promise(() => undefined) : store.readAll(after, limit)
    },
  })
  for (const name of ['one', 'two', 'three']) {
    await rename(name)
    await good(losing.projects.get(portal, context))
  }
  await rename('four')
  await rename('five')
  for (const time of [0, 4_999]) {
    vi.advanceTimersByTime(time)
    void losing.projects.get(portal, context)
    await new Promise((resolve) => setImmediate(resolve))
    expect(pages).toBe(5)
  }
  vi.advanceTimersByTime(5_000)
  expect(await good(losing.projects.get(portal, context))).toMatchObject({ name: 'five' })
  expect(pages).toBe(6)
})

it('waits no longer than at first after a catch-up has succeeded', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let pages = 0
  const losing = iamOn({
    ...store,
    // Two connections hang for ever, each once.
    readAll: (after, limit) =>
      [1, 3].includes(++pages) ? new Promise(() => undefined) : store.readAll(after, limit),
  })
  for (const [name, expected] of [
    ['one', 2],
    ['two', 4],
  ] as const) {
    await rename(name)
    void losing.projects.get(portal, context)
    await new Promise((resolve) => setImmediate(resolve))
    expect(pages).toBe(expected - 1)
    vi.advanceTimersByTime(5_000)
    void losing.projects.get(portal, context)
    await new Promise((resolve) => setImmediate(resolve))
    expect(pages).toBe(expected)
  }
})

it('waits no longer than at first after the abandoned catch-up has failed', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const lost = Promise.withResolvers<never>()
  let pages = 0
  const losing = iamOn({
    ...store,
    readAll: (after, limit) => {
      pages++
      if (pages === 1) return lost.promise
      return pages === 2 ? new Promise(() => undefined) : store.readAll(after, limit)
    },
  })
  const first = refusal(losing.projects.get(portal, context))
  await new Promise((resolve) => setImmediate(resolve))
  vi.advanceTimersByTime(5_000)
  void losing.projects.get(portal, context)
  await new Promise((resolve) => setImmediate(resolve))
  expect(pages).toBe(2)
  lost.reject(new StoreFault('away', 'unknown'))
  expect(await first).toMatchObject({ kind: 'Unavailable' })
  vi.advanceTimersByTime(5_000)
  expect(await good(losing.projects.get(portal, context))).toMatchObject({ name: 'Portal' })
  expect(pages).toBe(3)
})

it('shares a catch-up also after one that it no longer waits for has ended', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const gates = [gate(), gate()] as const
  let pages = 0
  const slow = iamOn({
    ...store,
    readAll: async (after, limit) => {
      await gates[pages++]?.opened
      return store.readAll(after, limit)
    },
  })
  const read = async () => {
    const found = good(slow.projects.get(portal, context))
    await new Promise((resolve) => setImmediate(resolve))
    return { found }
  }
  const first = await read()
  vi.advanceTimersByTime(5_000)
  const second = await read()
  // The first catch-up ends after all, while the second still waits for its page.
  gates[0].open()
  await first.found
  await rename('renamed')
  const third = await read()
  expect(pages).toBe(2)
  gates[1].open()
  expect(await second.found).toMatchObject({ name: 'Portal' })
  expect(await third.found).toMatchObject({ name: 'renamed' })
})

it('begins fewer and fewer catch-ups when all wait for the same lock', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  let pages = 0
  const waiting: (() => void)[] = []
  const locked = iamOn({
    ...store,
    readAll: async (after, limit) => {
      pages++
      await new Promise<void>((resolve) => waiting.push(resolve))
      return store.readAll(after, limit)
    },
  })
  const asked: Promise<unknown>[] = []
  for (let second = 0; second < 120; second++) {
    asked.push(good(locked.projects.get(portal, context)))
    await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(1_000)
  }
  // At first, after 5 seconds, after 20 more and after 80 more.
  expect(pages).toBe(4)
  for (const go of waiting.splice(0)) go()
  expect(await Promise.all(asked)).toMatchObject(Array(120).fill({ name: 'Portal' }))
})

it('shares a long catch-up as long as it makes progress', async () => {
  vi.useFakeTimers({ toFake: ['performance'] })
  onTestFinished(() => void vi.useRealTimers())
  const kept = memoryReadModel()
  let batches = 0
  let heads = 0
  const slow: ReadModel = {
    ...kept,
    // An event at a time, and a read that begins during each.
    apply: async (from, [event]) => {
      batches++
      vi.advanceTimersByTime(4_000)
      asked.push(good(reading.projects.get(portal, context)))
      await new Promise((resolve) => setImmediate(resolve))
      return kept.apply(from, event ? [event] : [])
    },
  }
  const counting: EventStore = {
    ...store,
    lastPosition: () => {
      heads++
      return store.lastPosition()
    },
  }
  const reading = iamOn(counting, { readModel: slow })
  const asked: Promise<unknown>[] = []
  await good(reading.projects.get(portal, context))
  await Promise.all(asked)
  const events = (await store.readAll(0n, 100)).length
  expect(batches).toBe(events)
  // Once for each read, of which one begins with each event; the one catch-up uses the answer of the first.
  expect(heads).toBe(1 + events)
})

it('is not delayed by continuous writes', async () => {
  const readModel = memoryReadModel()
  let writes = 0
  const chased: ReadModel = {
    ...readModel,
    apply: async (from, events) => {
      await rename(`name ${++writes}`)
      return readModel.apply(from, events)
    },
  }
  const found = await good(iamOn(store, { readModel: chased }).projects.get(portal, context))
  expect(found).toMatchObject({ name: 'Portal' })
  expect(writes).toBe(1)
})

it('catches up itself after a shared catch-up that ended below its head', async () => {
  const readModel = memoryReadModel()
  const applied = gate()
  const answer = gate()
  let isHeld = true
  const slow: ReadModel = {
    ...readModel,
    apply: async (from, events) => {
      const isApplied = await readModel.apply(from, events)
      applied.open()
      if (isHeld) await answer.opened
      return isApplied
    },
  }
  const process = iamOn(store, { readModel: slow })
  const first = process.projects.get(portal, context)
  await applied.opened
  // The catch-up of the first read has applied its events, but not yet ended, when more is written.
  await rename('renamed')
  const second = process.projects.get(portal, context)
  await new Promise((resolve) => setImmediate(resolve))
  isHeld = false
  answer.open()
  expect(await good(first)).toMatchObject({ name: 'Portal' })
  expect(await good(second)).toMatchObject({ name: 'renamed' })
})

it('is unavailable while the store or the read model has a fault, for each read separately', async () => {
  const cause = new StoreFault('away', 'unknown')
  let isAway = true
  const flaky = <NeededPermission extends unknown[], Answer>(
    ask: (...asked: NeededPermission) => Promise<Answer>,
  ) => {
    return (...asked: NeededPermission) => (isAway ? Promise.reject(cause) : ask(...asked))
  }
  const model = memoryReadModel()
  const processes = [
    iamOn({ ...store, lastPosition: flaky(store.lastPosition) }),
    iamOn({ ...store, readAll: flaky(store.readAll) }),
    iamOn(store, { readModel: { ...memoryReadModel(), checkpoint: flaky(model.checkpoint) } }),
    iamOn(store, { readModel: { ...model, apply: flaky(model.apply) } }),
  ]
  const unavailable = { kind: 'Unavailable', outcome: 'not_recorded', cause }
  for (const process of processes)
    for (const { name, of, input } of reads)
      if (!/stateAt|explain|revealClientSecret/.test(name))
        expect(await refusal(of(process)(input, context)), name).toEqual(unavailable)

  const { list, history, get, access, heldRoles, holders, users } = memoryReadModel()
  const readModel = {
    ...memoryReadModel(),
    list: flaky(list),
    history: flaky(history),
    get: flaky(get),
    access: flaky(access),
    heldRoles: flaky(heldRoles),
    holders: flaky(holders),
    users: flaky(users),
  }
  for (const { name, of, input } of reads)
    if (!/stateAt|explain|revealClientSecret/.test(name))
      expect(await refusal(of(iamOn(store, { readModel }))(input, context))).toEqual(unavailable)

  isAway = false
  for (const process of processes.slice(0, 2)) await good(process.projects.get(portal, context))
})

it('is unavailable when the store lacks events below its last position', async () => {
  const lacking = { ...store, readAll: async () => [] }
  expect(await refusal(iamOn(lacking).projects.get(portal, context))).toMatchObject({
    kind: 'Unavailable',
    outcome: 'not_recorded',
  })
})
