import type { StreamId } from '../../domain/values.js'
import {
  type EventStore,
  MAX_WRITES,
  type Position,
  type RecordedEvent,
} from '../../ports/event-store.js'
import { fixedClock } from '../../testing/index.js'
import { allOf, BrokenLaw, demand, demandEqual, lawsOf } from '../law.js'
import {
  appendOf,
  type EventClockLaw,
  type EventStoreHarness,
  firstOf,
  positionOf,
  record,
  storeLaws,
  verdict,
  wholeLog,
  write,
} from './harness.js'

/** Longest time from an append to the call of `wake`, in milliseconds. */
const WAKE_TIMEOUT_MS = 5_000

/** Listens on `store`, with one call of `onAppend`, until `stop`. */
const listen = (store: EventStore) => {
  let wake = () => {}
  const stop = store.onAppend?.(() => wake())
  return {
    stop: () => stop?.(),
    /** Resolves with the next call after which an event above `last` can be read. */
    next: (last: Position) =>
      new Promise<void>((resolve, reject) => {
        const timeout = setTimeout(
          () => reject(new BrokenLaw(`Expected a call within ${WAKE_TIMEOUT_MS} ms of new events`)),
          WAKE_TIMEOUT_MS,
        )
        wake = () => {
          store.lastPosition().then((position) => {
            if (position === last) return
            clearTimeout(timeout)
            resolve()
          }, reject)
        }
      }),
  }
}

/** Runs `change`, which adds events to `store`, and waits until all `listeners` were called. */
const doAndWait = async (
  store: EventStore,
  change: () => Promise<unknown>,
  listeners: readonly ReturnType<typeof listen>[],
): Promise<void> => {
  const last = await store.lastPosition()
  const calls = listeners.map(({ next }) => next(last))
  await allOf<unknown>([change(), ...calls])
}

/** Checks that each of `changes`, made one after the other, calls the listeners of every handle. */
export const wakesBy =
  <Store extends EventStore>(changes: readonly ((store: Store) => Promise<unknown>)[]) =>
  async (store: Store, { reopen }: EventStoreHarness<Store>): Promise<void> => {
    if (store.onAppend === undefined) return
    const listeners = [store, store, await reopen(store)].map(listen)
    try {
      for (const change of changes) await doAndWait(store, () => change(store), listeners)
    } finally {
      for (const { stop } of listeners) stop()
    }
  }

/** Laws of several writers at once, and of the optional method `onAppend`. */
export const concurrencyLaws = storeLaws({
  'Of simultaneous appends to one version, exactly one is recorded.': async (store, { reopen }) => {
    const second = await reopen(store)
    const verdicts = await allOf(
      Array.from({ length: 40 }, (_, n) =>
        verdict(n % 2 === 0 ? store : second, appendOf([write('law-a', 0, { n })])),
      ),
    )
    const conflict = { kind: 'VersionConflict', stream: 'law-a' }
    demandEqual('appends recorded', verdicts.filter((answer) => answer === 1).length, 1)
    for (const answer of verdicts) if (answer !== 1) demandEqual('an answer', answer, conflict)
    demandEqual('what the log holds', (await wholeLog(store)).length, 1)
  },
  'A large append is read as a whole or not at all, at any time.': async (store, { reopen }) => {
    const reader = await reopen(store)
    const append = appendOf(
      Array.from({ length: MAX_WRITES }, (_, n) => write(`law-${n}`, 0, { n })),
    )
    let isDone = false
    const recording = record(store, append).finally(() => {
      isDone = true
    })
    const reading = async () => {
      for (let isLast = false; ; isLast = isDone) {
        const { length } = await reader.findAppend(append)
        demand(
          length === 0 || length === MAX_WRITES,
          `none or all of ${MAX_WRITES} events, not ${length}`,
        )
        if (isLast) return
        await yieldToEventLoop()
      }
    }
    await allOf<unknown>([recording, reading()])
  },
  'A guard and a write of one stream are recorded one after the other.': async (
    store,
    { reopen },
  ) => {
    const second = await reopen(store)
    for (let round = 0; round < 10; round++) {
      const [guarding, writing] = round % 2 === 0 ? [store, second] : [second, store]
      const project: StreamId = `law-project-${round}`
      const [added] = await record(store, firstOf(project))
      const guarded = (handle: EventStore, n: number) =>
        verdict(handle, appendOf([write(project, 1), write(`law-${round}-${n}`, 0, {})]))
      const verdicts = await allOf([
        ...[1, 2, 3].map((n) => guarded(guarding, n)),
        verdict(writing, appendOf([write(project, 1, {})])),
        ...[4, 5].map((n) => guarded(guarding, n)),
        guarded(writing, 6),
      ])
      const log = await store.readAll(positionOf(added), 10)
      demandEqual('what is recorded last', [log.at(-1)?.stream, log.at(-1)?.version], [project, 2])
      const recorded = verdicts.filter((answer) => answer === 1)
      demandEqual('events recorded', recorded.length, log.length)
    }
  },
  'Appends to one stream that are sent without waiting keep their order.': async (store) => {
    const verdicts = await allOf(
      Array.from({ length: 10 }, (_, n) => verdict(store, appendOf([write('law-a', n, { n })]))),
    )
    demandEqual('events recorded', verdicts, Array(10).fill(1))
  },
  'A reader that pages through a growing log misses nothing.': async (store, { reopen }) => {
    const second = await reopen(store)
    await record(store, firstOf('law-guard'))
    let isDone = false
    const following = allOf([store, second].map((handle) => follow(handle, () => isDone)))
    const writing = allOf([writeMany(store, 'a', 100), writeMany(second, 'b', 100)]).finally(() => {
      isDone = true
    })
    await allOf<unknown>([writing, following])
    const log = await wholeLog(store)
    demandEqual('what the log holds', log.length, 201)
    for (const seen of await following) demandEqual('what a reader saw', seen, log)
    for (const [index, { position }] of log.entries()) {
      demand(position > (log[index - 1]?.position ?? 0n), 'positions to rise strictly')
    }
  },
  'Every append calls the listeners of every handle.': wakesBy([
    (store) => record(store, firstOf('law-a')),
    (store) => record(store, firstOf('law-b')),
  ]),
  'A removed listener is not called.': async (store) => {
    if (store.onAppend === undefined) return
    let calls = 0
    const stop = store.onAppend(() => calls++)
    stop()
    stop()
    const other = listen(store)
    await doAndWait(store, () => record(store, firstOf('law-a')), [other]).finally(other.stop)
    demandEqual('calls after the end', calls, 0)
  },
})

/** Appends `count` events to streams of their own, a few at a time, with repeats that conflict. */
const writeMany = async (store: EventStore, name: string, count: number): Promise<void> => {
  for (let n = 0; n < count; n += 5) {
    const appends = [0, 1, 2, 3, 4].map((k) =>
      appendOf([write('law-guard', 1), write(`law-${name}-${n + k}`, 0, { k })]),
    )
    const repeat = firstOf(`law-${name}-${n}`)
    const verdicts = await allOf([...appends, repeat].map((append) => verdict(store, append)))
    const conflict = { kind: 'VersionConflict', stream: `law-${name}-${n}` }
    demandEqual('what each append, and a repeat, is answered', verdicts, [1, 1, 1, 1, 1, conflict])
  }
}

/** Reads page by page until `isDone` and no event is left. */
const follow = async (
  store: EventStore,
  isDone: () => boolean,
): Promise<readonly RecordedEvent[]> => {
  const seen: RecordedEvent[] = []
  for (;;) {
    const done = isDone()
    const after = seen.at(-1)?.position ?? 0n
    const page = await store.readAll(after, 7)
    demand(page[0] === undefined || page[0].position > after, `a page above ${after}`)
    seen.push(...page)
    if (page.length === 0 && done) return seen
    await yieldToEventLoop()
  }
}

/** With a message where possible: a timer takes a millisecond, and a wrong state may last less. */
const yieldToEventLoop = () =>
  new Promise<void>((resolve) => {
    if (typeof MessageChannel !== 'function') {
      setTimeout(resolve, 0)
      return
    }
    const { port1, port2 } = new MessageChannel()
    port1.onmessage = () => {
      port1.close()
      resolve()
    }
    port2.postMessage(undefined)
  })

const NOON = Date.parse('2024-02-29T12:00:00.123Z')
const NOON_POSITION = BigInt(NOON) * 1000n

/** How positions follow the host's clock; not for a store with a clock of its own. */
export const eventClockLaws: readonly EventClockLaw[] = lawsOf({
  'A position is the time in microseconds, but above the last position.': async ({ openAt }) => {
    const now = fixedClock(NOON)
    const store = await openAt(now)
    await record(store, appendOf([write('law-a', 0, {}, {})]))
    await record(store, firstOf('law-b'))
    now.advance(1)
    await record(store, firstOf('law-c'))
    const positions = (await store.readAll(0n, 10)).map(({ position }) => position - NOON_POSITION)
    demandEqual('the microseconds since noon', positions, [0n, 1n, 2n, 1000n])
  },
  'Positions are at least 1 and rise even when the clock runs backwards.': async ({ openAt }) => {
    const now = fixedClock(0)
    const store = await openAt(now)
    for (const [n, time] of ['1960-01-01', NOON, 0, '1960-01-01'].entries()) {
      now.set(time)
      await record(store, firstOf(`law-${n}`))
    }
    const positions = (await store.readAll(0n, 10)).map(({ position }) => position)
    demandEqual('the positions', positions, [
      1n,
      NOON_POSITION,
      NOON_POSITION + 1n,
      NOON_POSITION + 2n,
    ])
  },
})
