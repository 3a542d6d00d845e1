import type { StreamId } from '../../../domain/values.js'
import { type EventStore, MAX_WRITES, type RecordedEvent } from '../../../ports/event-store.js'
import { allOf, demand, demandEqual } from '../../law.js'
import { storeLaws } from '../harness.js'
import { appendOf, firstOf, record, verdict, wholeLog, write } from '../samples.js'

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

/** By a message where possible: a timer takes a millisecond, and a wrong state may last less. */
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

/** What holds when several write at once. */
export const concurrencyLaws = storeLaws({
  'of appends sent at once to one version of a stream, one is recorded': async (
    store,
    { reopen },
  ) => {
    const handles = [store, await reopen(store)]
    const verdicts = await allOf(
      Array.from({ length: 40 }, (_, n) =>
        verdict(handles[n % 2] ?? store, appendOf([write('law-a', 0, { n })])),
      ),
    )
    const conflict = { kind: 'VersionConflict', stream: 'law-a' }
    demandEqual('appends recorded', verdicts.filter((answer) => answer === 1).length, 1)
    for (const answer of verdicts) if (answer !== 1) demandEqual('an answer', answer, conflict)
    demandEqual('what the log holds', (await wholeLog(store)).length, 1)
  },
  'an append of many writes is read as a whole or not at all, also while it is being recorded':
    async (store, { reopen }) => {
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
  'a guard and a write of one stream, sent at once, are recorded one after the other': async (
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
      const log = await store.readAll(added?.position ?? 0n, 10)
      demandEqual('what is recorded last', [log.at(-1)?.stream, log.at(-1)?.version], [project, 2])
      const recorded = verdicts.filter((answer) => answer === 1)
      demandEqual('events recorded', recorded.length, log.length)
    }
  },
  'appends to one stream sent one after the other, without waiting, keep their order': async (
    store,
  ) => {
    const verdicts = await allOf(
      Array.from({ length: 10 }, (_, n) => verdict(store, appendOf([write('law-a', n, { n })]))),
    )
    demandEqual(
      'events recorded',
      verdicts,
      verdicts.map(() => 1),
    )
  },
  'a reader that pages through the log while others write misses nothing': async (
    store,
    { reopen },
  ) => {
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
})
