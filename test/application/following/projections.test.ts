import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import {
  type EventStore,
  type Hooks,
  memoryEventStore,
  memoryReadModel,
  type Position,
  type Progress,
  type Projection,
  type ReadModel,
  type RecordedEvent,
  StoreFault,
} from '../../../src/index.js'
import { IN_PROCESS_BATCH } from '../../../src/ports/projection.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import { addSamples, context, good, type Iam, iamOn, logOf, refusal, start } from '../host.js'

let store: EventStore
let iam: Iam

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addSamples(iam)
})

afterEach(() => {
  vi.useRealTimers()
})

const rename = (name: string) =>
  good(iam.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name }, context))

const turn = () => new Promise((resolve) => setImmediate(resolve))

/** Most roles that one call adds. */
const MOST = 1_000

const addRoles = async (count: number, prefix = ''): Promise<void> => {
  for (let from = 0; from < count; from += MOST) {
    const roles = Array.from({ length: Math.min(MOST, count - from) }, (_, n) => ({
      roleKey: `${prefix}${from + n}`,
      displayName: 'd',
    }))
    await good(iam.projectRoles.addMany({ projectId: 'portal', roles }, context))
  }
}

/** A view of a host's own: everything it was fed; `before` may object to a batch. */
const collector = (before: (events: readonly RecordedEvent[]) => unknown = () => undefined) => {
  const seen: RecordedEvent[] = []
  let checkpoint: Position = 0n
  const projection: Projection = {
    name: 'collector',
    checkpoint: async () => checkpoint,
    apply: async (from, events) => {
      await before(events)
      if (from !== checkpoint) return false
      seen.push(...events)
      checkpoint = events.at(-1)?.position ?? from
      return true
    },
    reset: async () => {
      seen.length = 0
      checkpoint = 0n
    },
  }
  return { seen, projection }
}

describe('catchUp', () => {
  it('feeds a projection each new event once, and answers the position reached', async () => {
    const { seen, projection } = collector()
    expect(await good(iam.catchUp(projection))).toBe(await store.lastPosition())
    expect(seen).toEqual(await logOf(store))
    await rename('new')
    expect(await good(iam.catchUp(projection))).toBe(await store.lastPosition())
    expect(await good(iam.catchUp(projection))).toBe(await store.lastPosition())
    expect(seen).toEqual(await logOf(store))
    await projection.reset()
    await good(iam.catchUp(projection))
    expect(seen).toEqual(await logOf(store))
  })

  it('feeds a projection in batches, and reports progress after each', async () => {
    await addRoles(1_999)
    const sizes: number[] = []
    const { projection } = collector((events) => sizes.push(events.length))
    const steps: Progress[] = []
    await good(iam.catchUp(projection, { onProgress: (step) => steps.push(step) }))
    expect(sizes).toEqual([2000, 2])
    const head = await store.lastPosition()
    const log = await logOf(store)
    expect(steps).toEqual([
      { done: 2000, total: 2002, position: log[1999]?.position, head, rate: expect.any(Number) },
      { done: 2002, total: 2002, position: head, head, rate: expect.any(Number) },
    ])
    for (const { rate } of steps) expect(rate).toBeGreaterThan(0)
  })

  it('reports no total when the store cannot count', async () => {
    const steps: Progress[] = []
    const counting = { ...store, countAfter: undefined }
    const { projection } = collector()
    await good(iamOn(counting).catchUp(projection, { onProgress: (step) => steps.push(step) }))
    expect(steps).toHaveLength(1)
    expect(steps[0]).not.toHaveProperty('total')
  })

  it('accepts a checkpoint that stays the same, but not twice in a row', async () => {
    const { seen, projection } = collector()
    let calls = 0
    const staying: Projection = {
      ...projection,
      apply: async (from, [event]) =>
        calls++ % 2 === 1 && event !== undefined && projection.apply(from, [event]),
    }
    await good(iam.catchUp(staying))
    expect(seen).toEqual(await logOf(store))
  })

  it('is cancelled between two batches', async () => {
    await addRoles(1_999)
    const { seen, projection } = collector()
    const controller = new AbortController()
    const { signal } = controller
    const onProgress = () => controller.abort()
    expect(await refusal(iam.catchUp(projection, { signal, onProgress }))).toEqual({
      kind: 'Cancelled',
    })
    expect(seen).toHaveLength(2000)
    await good(iam.catchUp(projection))
    expect(seen).toEqual(await logOf(store))
  })

  it.each([1, 2, 3])('stops right before event %s when the projection throws there', async (at) => {
    const log = await logOf(store)
    const failing = log[at - 1]
    const cause = new TypeError('of the host')
    let isBroken = true
    const { seen, projection } = collector((events) => {
      if (isBroken && events.some(({ position }) => position === failing?.position)) throw cause
    })
    for (const _ of [1, 2]) {
      expect(await refusal(iam.catchUp(projection))).toEqual({
        kind: 'ProjectionFailed',
        projection: 'collector',
        type: failing?.type,
        position: failing?.position,
        cause,
      })
      expect(seen).toEqual(log.slice(0, at - 1))
    }
    isBroken = false
    await good(iam.catchUp(projection))
    expect(seen).toEqual(log)
  })

  it('continues when a projection accepts events one by one that it refused together', async () => {
    const { seen, projection } = collector((events) => {
      if (events.length > 1) throw new Error('too many')
    })
    const done: number[] = []
    await good(iam.catchUp(projection, { onProgress: (step) => done.push(step.done) }))
    expect(seen).toEqual(await logOf(store))
    expect(done).toEqual([3])
  })

  it.each([
    ['UnknownEvent', { schemaVersion: 9 }],
    ['CorruptEvent', { data: { id: 'portal' } }],
  ])('stops right before an event that cannot be read: %s', async (kind, broken) => {
    const [one, two, three] = (await logOf(store)) as [RecordedEvent, RecordedEvent, RecordedEvent]
    const copy = memoryEventStore()
    await copy.restore([one, { ...two, ...broken }, three])
    const { seen, projection } = collector()
    for (const _ of [1, 2])
      expect(await refusal(iamOn(copy).catchUp(projection))).toMatchObject({
        kind,
        position: two.position,
      })
    expect(seen).toEqual([one])
    const running = iamOn(copy).run(projection, { signal: AbortSignal.timeout(60_000) })
    expect(await refusal(running)).toMatchObject({ kind })
  })

  it('does not call a projection without an event to apply', async () => {
    const [one] = (await logOf(store)) as [RecordedEvent]
    const copy = memoryEventStore()
    await copy.restore([{ ...one, schemaVersion: 9 }])
    const apply = vi.fn()
    const unreadable = iamOn(copy).catchUp({ ...collector().projection, apply })
    expect(await refusal(unreadable)).toMatchObject({ kind: 'UnknownEvent' })
    expect(apply).not.toHaveBeenCalled()
  })

  it('applies the events before one that cannot be read, although another process was faster at first', async () => {
    const [one, two, three] = (await logOf(store)) as [RecordedEvent, RecordedEvent, RecordedEvent]
    const copy = memoryEventStore()
    await copy.restore([one, two, { ...three, schemaVersion: 9 }])
    const { seen, projection } = collector()
    let isFirst = true
    const raced: Projection = {
      ...projection,
      apply: async (from, events) => {
        if (!isFirst) return projection.apply(from, events)
        isFirst = false
        await projection.apply(from, events.slice(0, 1))
        return false
      },
    }
    expect(await refusal(iamOn(copy).catchUp(raced))).toMatchObject({ position: three.position })
    expect(seen).toEqual([one, two])
  })

  it('applies each event once, however many processes feed one projection', async () => {
    for (const prefix of ['a', 'b', 'c', 'd']) await addRoles(999, prefix)
    const { seen, projection } = collector(turn)
    const head = await store.lastPosition()
    const processes = [iam, iamOn(store), iamOn(store)]
    const reached = await Promise.all(processes.map((process) => good(process.catchUp(projection))))
    expect(reached).toEqual([head, head, head])
    expect(seen).toEqual(await logOf(store))
  })

  it('finds the refused event although another process applies events meanwhile', async () => {
    const log = await logOf(store)
    const { seen, projection } = collector()
    let isFirst = true
    const raced: Projection = {
      ...projection,
      apply: async (from, events) => {
        if (!isFirst) return projection.apply(from, events)
        isFirst = false
        // The other process takes the first event before this one fails on all of them.
        await projection.apply(from, events.slice(0, 1))
        throw new Error('moved')
      },
    }
    const done: number[] = []
    const onProgress = (step: Progress) => done.push(step.done)
    expect(await good(iam.catchUp(raced, { onProgress }))).toBe(log.at(-1)?.position)
    expect(seen).toEqual(log)
    expect(done).toEqual([0, 2])
  })

  it('is unavailable when a projection applies nothing without an error', async () => {
    const stuck: Projection = { ...collector().projection, apply: async () => false }
    expect(await refusal(iam.catchUp(stuck))).toMatchObject({
      kind: 'Unavailable',
      outcome: 'not_recorded',
    })
  })

  it('stops when a projection applies events but does not move its checkpoint', async () => {
    let applied = 0
    const forgetful: Projection = {
      ...collector().projection,
      checkpoint: async () => 0n,
      apply: async () => ++applied > 0,
    }
    const [first] = await logOf(store)
    const failure = {
      kind: 'ProjectionFailed',
      type: first?.type,
      position: first?.position,
      cause: new Error('The projection did not move its checkpoint'),
    }
    expect(await refusal(iam.catchUp(forgetful))).toMatchObject(failure)
    expect(await refusal(iam.run(forgetful))).toMatchObject(failure)
    expect(applied).toBe(4)
  })

  it('continues when the projection is reset meanwhile', async () => {
    const { seen, projection } = collector()
    let isFirst = true
    const emptied: Projection = {
      ...projection,
      apply: async (from, events) => {
        const isApplied = await projection.apply(from, events)
        if (isFirst) await projection.reset()
        isFirst = false
        return isApplied
      },
    }
    await good(iam.catchUp(emptied))
    expect(seen).toEqual(await logOf(store))
  })

  it('is unavailable while the store or the projection has a fault', async () => {
    const cause = new StoreFault('away', 'unknown')
    const away = () => Promise.reject(cause)
    const { projection } = collector()
    const unavailable = { kind: 'Unavailable', outcome: 'not_recorded', cause }
    for (const broken of [{ lastPosition: away }, { readAll: away }])
      expect(await refusal(iamOn({ ...store, ...broken }).catchUp(projection))).toEqual(unavailable)
    for (const broken of [{ checkpoint: away }, { apply: away }])
      expect(await refusal(iam.catchUp({ ...projection, ...broken }))).toEqual(unavailable)
  })

  it.each([undefined, null, 0, '0', Number.NaN])(
    'is unavailable for a checkpoint that is not a position: %o',
    async (answer) => {
      const { seen, projection } = collector()
      const untyped: Projection = { ...projection, checkpoint: async () => answer as never }
      expect(await refusal(iam.catchUp(untyped))).toEqual({
        kind: 'Unavailable',
        outcome: 'not_recorded',
        cause: new TypeError('A checkpoint must be a bigint'),
      })
      expect(seen).toEqual([])
    },
  )

  it('reports the events before the one that is refused', async () => {
    const log = await logOf(store)
    const reported: unknown[] = []
    const hooks: Hooks = { onCatchUp: ({ events }) => reported.push(events) }
    const { projection } = collector((events) => {
      if (events.some(({ position }) => position === log[2]?.position)) throw new Error('no')
    })
    const steps: Progress[] = []
    const onProgress = (step: Progress) => steps.push(step)
    for (const _ of [1, 2])
      await refusal(iamOn(store, { hooks }).catchUp(projection, { onProgress }))
    expect(reported).toEqual([2])
    expect(steps).toMatchObject([{ done: 2, position: log[1]?.position }])
  })

  it('reports the events before the one that cannot be read', async () => {
    const [one, two, three] = (await logOf(store)) as [RecordedEvent, RecordedEvent, RecordedEvent]
    const copy = memoryEventStore()
    await copy.restore([one, two, { ...three, schemaVersion: 9 }])
    const steps: Progress[] = []
    const onProgress = (step: Progress) => steps.push(step)
    await refusal(iamOn(copy).catchUp(collector().projection, { onProgress }))
    expect(steps).toMatchObject([{ done: 2, total: 3, position: two.position }])
  })

  it.each(['catchUp', 'run'] as const)(
    'throws for an object that is not a projection: %s',
    (method) => {
      const { checkpoint: _, ...incomplete } = collector().projection
      for (const none of [undefined, null, {}, incomplete])
        expect(() => iam[method](none as never)).toThrow('projection must be a Projection')
    },
  )

  it('continues from the checkpoint that another process has reached', async () => {
    await addRoles(4_000)
    const { seen, projection } = collector()
    const log = await logOf(store)
    let isOvertaken = false
    const overtaken: Projection = {
      ...projection,
      apply: async (from, events) => {
        if (isOvertaken) return projection.apply(from, events)
        isOvertaken = true
        await projection.apply(from, log.slice(0, 3_000))
        return false
      },
    }
    await good(iam.catchUp(overtaken))
    expect(seen).toEqual(log)
  })

  it.each([
    ['100 events', () => ({ ...collector().projection, batchSize: 100 }), 100],
    ['the read model in memory', () => memoryReadModel(), IN_PROCESS_BATCH],
    ['the read model on SQLite', () => openSqlite(':memory:').readModel, IN_PROCESS_BATCH],
  ] as const)(
    'lets the event loop run before and after each batch of %s',
    async (_, open, most) => {
      await addRoles(2_000)
      let turns = 0
      let isDone = false
      const count = () => {
        turns++
        if (!isDone) setImmediate(count)
      }
      const projection: Projection = open()
      const batches: { readonly events: number; readonly turn: number }[] = []
      const watched: Projection = {
        ...projection,
        apply: (from, events) => {
          batches.push({ events: events.length, turn: turns })
          return projection.apply(from, events)
        },
      }
      count()
      await good(iam.catchUp(watched))
      isDone = true
      const full = batches.filter(({ events }) => events === most)
      expect(full).toHaveLength(Math.floor(2_000 / most))
      for (const { events } of batches) expect(events).toBeLessThanOrEqual(most)
      for (const [index, { turn }] of full.entries())
        expect(turn - (full[index - 1]?.turn ?? -1)).toBeGreaterThanOrEqual(2)
    },
  )

  it('reads the next page while a projection applies one, shortly after that has begun', async () => {
    await addRoles(2_000)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const readAll = vi.fn(store.readAll)
    const work = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<void>()
    const { seen, projection } = collector(() => {
      begun.resolve()
      return work.promise
    })
    const caughtUp = good(iamOn({ ...store, readAll }).catchUp(projection))
    await begun.promise
    vi.advanceTimersByTime(1)
    await turn()
    expect(readAll).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1)
    await turn()
    expect(readAll).toHaveBeenCalledTimes(2)
    work.resolve()
    await caughtUp
    expect(readAll).toHaveBeenCalledTimes(2)
    expect(seen).toEqual(await logOf(store))
  })

  it('reads the next page at once when a projection has applied the one before', async () => {
    await addRoles(2_000)
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { seen, projection } = collector()
    await good(iam.catchUp(projection))
    expect(seen).toEqual(await logOf(store))
  })

  it('ignores the failure of a page that it read ahead and does not need', async () => {
    await addRoles(2_000)
    const objection = new Error('not that one')
    const asked = Promise.withResolvers<void>()
    const { projection } = collector(async (events) => {
      await asked.promise
      if (events.some(({ type }) => type === 'project.added')) throw objection
    })
    const failing: EventStore = {
      ...store,
      readAll: async (after, limit) => {
        if (after === 0n) return store.readAll(after, limit)
        asked.resolve()
        throw new StoreFault('away', 'unknown')
      },
    }
    const refused = await refusal(iamOn(failing).catchUp(projection))
    expect(refused).toMatchObject({ kind: 'ProjectionFailed', cause: objection })
  })

  it('rejects with what onProgress throws', async () => {
    const bug = new TypeError('a bug of the host')
    const { projection } = collector()
    const call = iam.catchUp(projection, {
      onProgress: () => {
        throw bug
      },
    })
    await expect(call).rejects.toBe(bug)
  })
})

describe('run', () => {
  /** A projection that says when it has seen as many events as asked for. */
  const following = (before?: (events: readonly RecordedEvent[]) => unknown) => {
    const { seen, projection } = collector(before)
    let applied: () => void = () => undefined
    const apply: Projection['apply'] = async (from, events) => {
      const isApplied = await projection.apply(from, events)
      applied()
      return isApplied
    }
    const reach = async (count: number): Promise<void> => {
      while (seen.length < count)
        await new Promise<void>((resolve) => {
          applied = resolve
        })
    }
    return { seen, reach, projection: { ...projection, apply } }
  }

  it('follows the log until the signal aborts, and answers the position reached', async () => {
    const { seen, reach, projection } = following()
    const controller = new AbortController()
    const running = iam.run(projection, { signal: controller.signal })
    await reach(3)
    for (const name of ['a', 'b', 'c']) {
      await rename(name)
      await reach((await logOf(store)).length)
    }
    controller.abort()
    expect(await good(running)).toBe(await store.lastPosition())
    expect(seen).toEqual(await logOf(store))
    await rename('later')
    expect(seen).toHaveLength(6)
  })

  it('listens for hints until it ends', async () => {
    let hinted = 0
    const counting: EventStore = {
      ...store,
      onAppend: (wake) => {
        hinted++
        const end = store.onAppend?.(wake)
        return () => {
          hinted--
          end?.()
        }
      },
    }
    const { reach, projection } = following()
    const controller = new AbortController()
    const running = iamOn(counting).run(projection, { signal: controller.signal })
    await reach(3)
    expect(hinted).toBe(1)
    controller.abort()
    await good(running)
    expect(hinted).toBe(0)
  })

  it('answers the position reached when the signal aborts during a batch', async () => {
    await addRoles(1_999)
    const controller = new AbortController()
    const { seen, projection } = following(() => controller.abort())
    const reached = await good(iam.run(projection, { signal: controller.signal }))
    expect(reached).toBe(seen.at(-1)?.position)
    expect(seen).toHaveLength(2000)
    expect(await good(iam.run(projection, { signal: AbortSignal.abort() }))).toBe(reached)
  })

  it('leaves no timer behind when the signal aborts', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const controller = new AbortController()
    const { reach, projection } = following()
    const running = iam.run(projection, { signal: controller.signal })
    await reach(3)
    await turn()
    expect(vi.getTimerCount()).toBe(1)
    controller.abort()
    await good(running)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('waits while the store or the projection has a fault, and then continues', async () => {
    let faults = 0
    const { seen, reach, projection } = following(() => {
      if (faults++ % 2 === 0) throw new StoreFault('locked', 'not_recorded')
    })
    const flaky: EventStore = {
      ...store,
      lastPosition: () =>
        faults++ % 3 === 0 ? Promise.reject(new Error('away')) : store.lastPosition(),
    }
    const controller = new AbortController()
    const running = iamOn(flaky).run(projection, { signal: controller.signal })
    await reach(3)
    await rename('later')
    await reach(4)
    controller.abort()
    await good(running)
    expect(seen).toEqual(await logOf(store))
  })

  it('doubles the pause between attempts until the store answers', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let looks = 0
    let isAway = true
    const away: EventStore = {
      ...store,
      lastPosition: () => {
        looks++
        return isAway ? Promise.reject(new Error('away')) : store.lastPosition()
      },
    }
    const controller = new AbortController()
    const running = iamOn(away).run(collector().projection, { signal: controller.signal })
    const looksAfter = async (milliseconds: number) => {
      await vi.advanceTimersByTimeAsync(milliseconds)
      return looks
    }
    expect(await looksAfter(9)).toBe(1)
    expect(await looksAfter(1)).toBe(2)
    expect(await looksAfter(19)).toBe(2)
    expect(await looksAfter(1)).toBe(3)
    isAway = false
    expect(await looksAfter(40)).toBe(4)
    isAway = true
    await rename('hint')
    expect(await looksAfter(1)).toBe(5)
    expect(await looksAfter(9)).toBe(6)
    // It ends at once, in the middle of a pause.
    controller.abort()
    await good(running)
  })

  it.each(['lastPosition', 'readAll'] as const)(
    'ends with a bug of the store, after it was reported: in %s',
    async (name) => {
      const cause = new TypeError('Cannot read properties of undefined')
      const onFault = vi.fn()
      const broken = { ...store, [name]: () => Promise.reject(cause) }
      const iam = iamOn(broken, { hooks: { onFault } })
      const ended = await refusal(iam.run(collector().projection))
      expect(ended).toEqual({ kind: 'Unavailable', outcome: 'not_recorded', cause })
      expect(onFault).toHaveBeenCalledTimes(1)
    },
  )

  it('ends when the checkpoint of the projection is not a position', async () => {
    const untyped: Projection = { ...collector().projection, checkpoint: async () => 0 as never }
    expect(await refusal(iam.run(untyped))).toMatchObject({
      kind: 'Unavailable',
      cause: new TypeError('A checkpoint must be a bigint'),
    })
  })

  it('ends at an event that the projection refuses', async () => {
    const { seen, reach, projection } = following((events) => {
      if (events.some(({ type }) => type === 'project.updated')) throw new Error('no updates')
    })
    const running = iam.run(projection, { signal: AbortSignal.timeout(60_000) })
    await reach(3)
    await rename('later')
    expect(await refusal(running)).toMatchObject({
      kind: 'ProjectionFailed',
      projection: 'collector',
      type: 'project.updated',
    })
    expect(seen).toHaveLength(3)
  })

  it('misses no event that is recorded while it catches up', async () => {
    // Without a second look after a while: the hint must do.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    let isFirst = true
    const { seen, reach, projection } = following(async () => {
      if (!isFirst) return
      isFirst = false
      await rename('meanwhile')
    })
    const controller = new AbortController()
    const running = iam.run(projection, { signal: controller.signal })
    await reach(4)
    controller.abort()
    await good(running)
    expect(seen).toEqual(await logOf(store))
  })

  it('keeps a read model up to date for eventual reads', async () => {
    const { projection, reach } = following()
    const model = memoryReadModel()
    const readModel: ReadModel = {
      ...model,
      apply: async (from, events) => {
        const isApplied = await model.apply(from, events)
        return isApplied && (await projection.apply(from, events))
      },
    }
    const process = iamOn(store, { readModel })
    const controller = new AbortController()
    const running = process.run(readModel, { signal: controller.signal })
    await rename('fresh')
    await reach(4)
    const late = { ...context, consistency: 'eventual' } as const
    expect(await good(process.projects.get({ id: 'portal' }, late))).toMatchObject({
      name: 'fresh',
    })
    controller.abort()
    await good(running)
  })
})
