import { getEventListeners, once } from 'node:events'
import { Readable } from 'node:stream'
import { setImmediate as turn } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import {
  type EventStore,
  type FaultSeen,
  memoryEventStore,
  type RecordedEvent,
  StoreFault,
  type SubscribeOptions,
  SubscriptionEnded,
} from '../../../src/index.js'
import { PROJECT_DEFAULTS } from '../../defaults.js'
import { addSamples, context, good, type Iam, iamOn, inGlobex, logOf, start } from '../host.js'

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

const EDITOR = { type: 'project_role', projectId: 'portal', roleKey: 'editor' } as const

/** The events of a subscription, one at a time. */
const subscribed = (options?: SubscribeOptions, to: EventStore = store) =>
  iamOn(to).subscribe(options)[Symbol.asyncIterator]()

const take = async (events: AsyncIterator<RecordedEvent>, count: number) => {
  const taken: RecordedEvent[] = []
  while (taken.length < count) {
    const { done, value } = await events.next()
    if (done) break
    taken.push(value)
  }
  return taken
}

describe('A subscription', () => {
  it('yields the events of the log, and then each new one', async () => {
    const events = subscribed()
    expect(await take(events, 3)).toEqual(await logOf(store))
    const next = events.next()
    await rename('live')
    expect((await next).value).toMatchObject({ type: 'project.updated', data: { name: 'live' } })
    await rename('again')
    await rename('and again')
    const names = (await take(events, 2)).map(({ data }) => Reflect.get(data, 'name'))
    expect(names).toEqual(['again', 'and again'])
    await events.return?.()
  })

  it('begins after the given position', async () => {
    const log = await logOf(store)
    const after = log[0]?.position
    const events = subscribed({ after })
    expect(await take(events, 2)).toEqual(log.slice(1))
    await events.return?.()
  })

  it('can be limited to event types and to one organization', async () => {
    await addSamples(iam, inGlobex)
    const log = await logOf(store)
    const ofGlobex = subscribed({ orgId: 'globex' })
    expect(await take(ofGlobex, 3)).toEqual(log.slice(3))
    const projects = subscribed({ types: ['project.added', 'project.updated'] })
    expect(await take(projects, 2)).toEqual([log[1], log[4]])
    const both = subscribed({ types: ['project.updated'], orgId: 'acme' })
    const next = both.next()
    await good(iam.projects.update({ ...PROJECT_DEFAULTS, id: 'portal', name: 'n' }, inGlobex))
    await rename('wanted')
    expect((await next).value).toMatchObject({ data: { name: 'wanted' } })
    for (const events of [ofGlobex, projects, both]) await events.return?.()
  })

  it('reads events that it leaves out only once', async () => {
    let reads = 0
    const counting: EventStore = {
      ...store,
      readAll: async (after, limit) => {
        if (++reads > 10) throw new Error('reads on and on')
        return store.readAll(after, limit)
      },
    }
    const events = subscribed({ types: ['project.removed'] }, counting)
    const next = events.next()
    await new Promise((resolve) => setImmediate(resolve))
    expect(reads).toBe(2)
    await good(iam.projects.remove({ id: 'portal' }, context))
    expect((await next).value?.type).toBe('project.removed')
    await events.return?.()
  })

  it('ends when the signal aborts: before it begins, while it waits, and between two events', async () => {
    const early = subscribed({ signal: AbortSignal.abort() })
    expect(await early.next()).toEqual({ done: true, value: undefined })

    const waiting = new AbortController()
    const events = subscribed({ signal: waiting.signal })
    await take(events, 3)
    const next = events.next()
    waiting.abort()
    expect(await next).toEqual({ done: true, value: undefined })

    const between = new AbortController()
    const seen = []
    for await (const { type } of iam.subscribe({ signal: between.signal })) {
      seen.push(type)
      between.abort()
    }
    expect(seen).toHaveLength(1)
  })

  it.each([
    ['while it waits for events', {}],
    ['while new events are left out', { orgId: 'globex' }],
  ])('ends when its iterator is closed: %s', async (_, options) => {
    const signal = new AbortController().signal
    const events = subscribed({ ...options, after: await store.lastPosition(), signal })
    const next = events.next()
    await rename('not for globex')
    if (!('orgId' in options)) await next
    const waiting = 'orgId' in options ? next : events.next()
    expect(await events.return?.()).toEqual({ done: true, value: undefined })
    expect(await waiting).toEqual({ done: true, value: undefined })
    await rename('later')
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  it('ends when its iterator is closed while the store does not answer', async () => {
    const silent = { ...store, readAll: () => new Promise<never>(() => undefined) }
    const events = subscribed({}, silent)
    const next = events.next()
    await events.return?.()
    expect(await next).toEqual({ done: true, value: undefined })
  })

  it('ends when a stream made of it is destroyed', async () => {
    const stream = Readable.from(iam.subscribe())
    const closed = once(stream, 'close')
    stream.on('data', (event: RecordedEvent) => {
      if (event.type === 'project_role.added') setImmediate(() => stream.destroy())
    })
    await closed
    expect(stream.destroyed).toBe(true)
  })

  it.each([
    ['waits for events', {}],
    ['waits for events of its organization', { orgId: 'globex' }],
  ])('ends with the error of a destroyed stream while it %s', async (_, options) => {
    const stream = Readable.from(iam.subscribe({ ...options, after: await store.lastPosition() }))
    stream.read()
    await turn()
    const gone = new Error('The client is gone')
    expect(await once(stream.destroy(gone), 'error')).toEqual([gone])
  })

  it('removes its listener from the signal at its end', async () => {
    const { signal } = new AbortController()
    for await (const _ of iam.subscribe({ signal })) {
      expect(getEventListeners(signal, 'abort')).toHaveLength(1)
      break
    }
    expect(getEventListeners(signal, 'abort')).toEqual([])
  })

  it.each([
    ['types', { types: ['project.exploded'] }],
    ['types', { types: [] }],
    ['after', { after: '0' }],
    ['after', { after: -1n }],
    ['orgId', { orgId: 'a b' }],
    ['signal', { signal: new AbortController() }],
  ])('throws for a malformed option: %s of %o', (field, options) => {
    expect(() => iam.subscribe(options as never)).toThrow(TypeError)
    expect(() => iam.subscribe(options as never)).toThrow(field)
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
    for await (const _ of iamOn(counting).subscribe()) {
      expect(hinted).toBe(1)
      break
    }
    expect(hinted).toBe(0)
    const controller = new AbortController()
    const events = subscribed({ signal: controller.signal }, counting)
    await take(events, 3)
    const next = events.next()
    expect(hinted).toBe(1)
    controller.abort()
    await next
    expect(hinted).toBe(0)
  })

  it('reads no further than its consumer', async () => {
    const roles = Array.from({ length: 999 }, (_, n) => ({ roleKey: `${n}`, displayName: 'd' }))
    await good(iam.projectRoles.addMany({ projectId: 'portal', roles }, context))
    let most = 0
    let reads = 0
    const counting: EventStore = {
      ...store,
      readAll: (after, limit) => {
        reads++
        most = Math.max(most, limit)
        return store.readAll(after, limit)
      },
    }
    const events = subscribed({}, counting)
    await take(events, most || 1)
    expect(reads).toBe(1)
    expect(most).toBeLessThanOrEqual(500)
    await take(events, most - 1)
    expect(reads).toBe(1)
    expect(await take(events, 1002 - most)).toHaveLength(1002 - most)
    expect(reads).toBe(3)
    await events.return?.()
  })

  it('yields every event once to a slow consumer, despite writes meanwhile', async () => {
    const events = subscribed()
    const seen: RecordedEvent[] = []
    for (let n = 0; n < 20; n++) {
      await rename(`name ${n}`)
      if (n % 3 === 0) seen.push(...(await take(events, 1)))
    }
    seen.push(...(await take(events, 23 - seen.length)))
    expect(seen).toEqual(await logOf(store))
    await events.return?.()
  })

  it('misses no event that is recorded between its read and its wait', async () => {
    // Without a second look after a while: the hint must do.
    vi.useFakeTimers({ toFake: ['setTimeout'] })
    let isFirst = true
    const racing: EventStore = {
      ...store,
      readAll: async (after, limit) => {
        const events = await store.readAll(after, limit)
        if (events.length === 0 && isFirst) {
          isFirst = false
          await rename('in between')
        }
        return events
      },
    }
    const events = subscribed({}, racing)
    expect((await take(events, 4)).at(-1)?.data).toMatchObject({ name: 'in between' })
    await events.return?.()
  })

  it('waits while the store has a fault, and then continues', async () => {
    let faults = 0
    const flaky: EventStore = {
      ...store,
      readAll: (after, limit) =>
        faults++ % 2 === 0 ? Promise.reject(new Error('away')) : store.readAll(after, limit),
    }
    const events = subscribed({}, flaky)
    const taken = await take(events, 3)
    await rename('later')
    taken.push(...(await take(events, 1)))
    expect(taken).toEqual(await logOf(store))
    await events.return?.()
  })

  it('doubles the pause between attempts while the store has a fault', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let looks = 0
    let isAway = true
    const away: EventStore = {
      ...store,
      readAll: (after, limit) => {
        looks++
        return isAway ? Promise.reject(new Error('away')) : store.readAll(after, limit)
      },
    }
    const events = subscribed({}, away)
    const next = events.next()
    await vi.advanceTimersByTimeAsync(9)
    expect(looks).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(looks).toBe(2)
    await vi.advanceTimersByTimeAsync(19)
    expect(looks).toBe(2)
    await vi.advanceTimersByTimeAsync(60_000)
    const before = looks
    isAway = false
    await vi.advanceTimersByTimeAsync(1_000)
    expect(looks).toBe(before + 1)
    expect((await next).value).toEqual((await logOf(store))[0])
    await take(events, 2)

    // After an event, pauses begin with the shortest again.
    const later = events.next()
    await vi.advanceTimersByTimeAsync(10)
    isAway = true
    looks = 0
    await rename('later')
    await vi.advanceTimersByTimeAsync(9)
    expect(looks).toBe(1)
    await vi.advanceTimersByTimeAsync(1)
    expect(looks).toBe(2)
    isAway = false
    await vi.advanceTimersByTimeAsync(1_000)
    expect((await later).value?.data).toMatchObject({ name: 'later' })
    await events.return?.()
  })

  it('ends at once when the signal aborts during a pause', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const controller = new AbortController()
    const away = { ...store, readAll: () => Promise.reject(new Error('away')) }
    const next = subscribed({ signal: controller.signal }, away).next()
    await vi.advanceTimersByTimeAsync(1)
    controller.abort()
    expect(await next).toEqual({ done: true, value: undefined })
  })

  it('reports each fault of the store, with nothing recorded', async () => {
    const faults: FaultSeen[] = []
    const readAll: EventStore['readAll'] = (after, limit) =>
      faults.length < 2
        ? Promise.reject(new StoreFault('away', 'unknown'))
        : store.readAll(after, limit)
    const process = iamOn(
      { ...store, readAll },
      { hooks: { onFault: (seen) => faults.push(seen) } },
    )
    for await (const _ of process.subscribe()) break
    const cause = { name: 'StoreFault' }
    const fault = { method: 'subscribe', kind: 'Unavailable', outcome: 'not_recorded', cause }
    expect(faults).toEqual([fault, fault])
  })

  it('reports no fault at its end', async () => {
    const controller = new AbortController()
    const onFault = vi.fn()
    const silent = { ...store, readAll: () => new Promise<never>(() => undefined) }
    const { signal } = controller
    const events = iamOn(silent, { hooks: { onFault } }).subscribe({ signal })
    const next = events[Symbol.asyncIterator]().next()
    await turn()
    controller.abort()
    expect(await next).toEqual({ done: true, value: undefined })
    expect(onFault).not.toHaveBeenCalled()
  })

  it('ends when the signal aborts while the store has a fault', async () => {
    const controller = new AbortController()
    const away: EventStore = {
      ...store,
      readAll: async () => {
        controller.abort()
        throw new Error('away')
      },
    }
    const events = subscribed({ signal: controller.signal }, away)
    expect(await events.next()).toEqual({ done: true, value: undefined })
  })

  it('ends at the head when the event there was lost in a failover', async () => {
    const [first, lost, ...later] = await logOf(store)
    if (!lost) throw new Error('The log has no second event')
    expect(later).not.toEqual([])
    const failedOver: EventStore = {
      ...store,
      lastPosition: async () => lost.position,
      readAll: async (after, limit) =>
        (await store.readAll(after, limit)).filter(({ position }) => position !== lost.position),
    }
    expect(await take(subscribed({ until: 'head' }, failedOver), 3)).toEqual([first])
  })

  it.each([
    ['readAll', {}],
    ['lastPosition', { until: 'head' }],
    ['readStream', { orgId: 'acme', object: EDITOR }],
  ] as const)(
    'ends with a bug of the store, after it was reported: in %s',
    async (name, options) => {
      await good(iam.projects.remove({ id: 'portal' }, context))
      const bug = new TypeError('Cannot read properties of undefined')
      const onFault = vi.fn()
      const broken = { ...store, [name]: () => Promise.reject(bug) }
      const reading = (async () => {
        for await (const _ of iamOn(broken, { hooks: { onFault } }).subscribe(options));
      })()
      await expect(reading).rejects.toBe(bug)
      expect(onFault.mock.calls).toEqual([
        [
          {
            method: 'subscribe',
            kind: 'Unavailable',
            outcome: 'not_recorded',
            cause: { name: 'TypeError' },
          },
        ],
      ])
    },
  )

  it('waits while the requests of the store fail', async () => {
    const lost = new TypeError('fetch failed', {
      cause: Object.assign(new Error('lost'), { code: 'UND_ERR_SOCKET' }),
    })
    let faults = 2
    const events = subscribed(
      {},
      {
        ...store,
        readAll: (after, limit) =>
          faults-- > 0 ? Promise.reject(lost) : store.readAll(after, limit),
      },
    )
    expect(await take(events, 3)).toEqual(await logOf(store))
    await events.return?.()
  })

  it('polls a store that gives no hints', async () => {
    const { onAppend: _, ...silent } = store
    const events = subscribed({}, silent)
    await take(events, 3)
    const next = events.next()
    await new Promise((resolve) => setImmediate(resolve))
    await rename('unannounced')
    expect((await next).value).toMatchObject({ data: { name: 'unannounced' } })
    await events.return?.()
  })

  it.each([
    ['UnknownEvent', { type: 'project.exploded' }],
    ['CorruptEvent', { data: { id: 'portal' } }],
  ])('ends at an event that cannot be read, never skipping it: %s', async (kind, broken) => {
    const log = await logOf(store)
    const [one, two, three] = log as [RecordedEvent, RecordedEvent, RecordedEvent]
    const copy = memoryEventStore()
    await copy.restore([one, { ...two, ...broken }, three])
    // Also when it is none of those that are wanted.
    for (const types of [
      undefined,
      ['identity_provider.oidc_added', 'project_role.added'] as const,
    ]) {
      const events = subscribed({ types }, copy)
      expect(await take(events, 1)).toEqual([one])
      const ended = await events.next().catch((thrown: unknown) => thrown)
      expect(ended).toBeInstanceOf(SubscriptionEnded)
      expect(ended).toMatchObject({
        name: 'SubscriptionEnded',
        message: `${kind} at position ${two.position}`,
        cause: { kind, position: two.position },
      })
      expect(await events.next()).toEqual({ done: true, value: undefined })
    }
  })
})
