import type { EventStore, RecordedEvent } from '../../ports/event-store.js'
import { demand, demandEqual } from '../law.js'
import type { EventStoreLaw } from './harness.js'
import { appendOf, firstOf, record, verdict, wholeLog, write } from './samples.js'

/** Appends `count` events to streams of their own, a few at a time, with repeats that conflict. */
const writeMany = async (store: EventStore, name: string, count: number): Promise<void> => {
  for (let n = 0; n < count; n += 5) {
    const appends = [0, 1, 2, 3, 4].map((k) =>
      verdict(store, appendOf([write('law-guard', 1), write(`law-${name}-${n + k}`, 0, { k })])),
    )
    const repeat = verdict(store, firstOf(`law-${name}-${n}`))
    demandEqual('events recorded', await Promise.all(appends), [1, 1, 1, 1, 1])
    demandEqual('the answer to a repeat', await repeat, {
      kind: 'VersionConflict',
      stream: `law-${name}-${n}`,
    })
  }
}

/** Reads page by page, from where it is, until `isDone` and nothing is left. */
const follow = async (
  store: EventStore,
  isDone: () => boolean,
): Promise<readonly RecordedEvent[]> => {
  const seen: RecordedEvent[] = []
  for (;;) {
    const done = isDone()
    const page = await store.readAll(seen.at(-1)?.position ?? 0n, 7)
    seen.push(...page)
    if (page.length === 0 && done) return seen
    await nextTurn()
  }
}

const nextTurn = () => new Promise<void>((resolve) => setTimeout(resolve, 0))

/** What holds when several write at once. */
export const concurrencyLaws: readonly EventStoreLaw[] = [
  {
    name: 'of appends sent at once to one version of a stream, one is recorded',
    check: async ({ open, reopen }) => {
      const store = await open()
      const handles = [store, await reopen(store)]
      const verdicts = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          verdict(handles[n % 2] ?? store, appendOf([write('law-a', 0, { n })])),
        ),
      )
      const conflict = { kind: 'VersionConflict', stream: 'law-a' }
      demandEqual('appends recorded', verdicts.filter((answer) => answer === 1).length, 1)
      for (const answer of verdicts) if (answer !== 1) demandEqual('an answer', answer, conflict)
      demandEqual('what the log holds', (await wholeLog(store)).length, 1)
    },
  },
  {
    name: 'a guard and a write of one stream, sent at once, are recorded one after the other',
    check: async ({ open }) => {
      const store = await open()
      await record(store, firstOf('law-project'))
      const guarded = [1, 2, 3].map((n) =>
        verdict(store, appendOf([write('law-project', 1), write(`law-${n}`, 0, {})])),
      )
      const written = verdict(store, appendOf([write('law-project', 1, {})]))
      const late = verdict(store, appendOf([write('law-project', 1), write('law-late', 0, {})]))
      const verdicts = await Promise.all([...guarded, written, late])
      const log = await wholeLog(store)
      const moved = log.findIndex(({ version }) => version === 2)
      demandEqual('the log after the stream has moved on', log.slice(moved + 1), [])
      demandEqual(
        'events recorded',
        verdicts.filter((answer) => answer === 1).length,
        log.length - 1,
      )
    },
  },
  {
    name: 'appends to one stream sent one after the other, without waiting, keep their order',
    check: async ({ open }) => {
      const store = await open()
      const verdicts = await Promise.all(
        Array.from({ length: 10 }, (_, n) => verdict(store, appendOf([write('law-a', n, { n })]))),
      )
      demandEqual(
        'events recorded',
        verdicts,
        verdicts.map(() => 1),
      )
    },
  },
  {
    name: 'a reader that pages through the log while others write misses nothing',
    check: async ({ open, reopen }) => {
      const store = await open()
      const second = await reopen(store)
      await record(store, firstOf('law-guard'))
      let writing = true
      const following = [store, second].map((handle) => follow(handle, () => !writing))
      await Promise.all([writeMany(store, 'a', 100), writeMany(second, 'b', 100)])
      writing = false
      const log = await wholeLog(store)
      demandEqual('what the log holds', log.length, 201)
      for (const seen of await Promise.all(following)) demandEqual('what a reader saw', seen, log)
      for (const [index, { position }] of log.entries()) {
        demand(position > (log[index - 1]?.position ?? 0n), 'positions to rise strictly')
      }
    },
  },
]
