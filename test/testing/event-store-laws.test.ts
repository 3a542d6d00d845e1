import { err, ok } from 'neverthrow'
import { describe, expect, test } from 'vitest'
import { memoryEventStore } from '../../src/adapters/memory/event-store.js'
import type { EventRestore, EventStore } from '../../src/ports/event-store.js'
import { eventRestoreLaws, eventStoreLaws } from '../../src/testing/event-store-laws.js'
import { BrokenLaw } from '../../src/testing/law.js'

type Store = EventStore & EventRestore

/** A store with one fault, and the law that must find it. */
interface Fault {
  readonly fault: string
  readonly law: string
  readonly plant: (sound: Store) => Partial<Store>
}

const withoutLast = <Item>(items: readonly Item[]) => items.slice(0, -1)

const FAULTS: readonly Fault[] = [
  {
    fault: 'returns events in another order',
    law: 'an append returns its events as recorded, in the order written',
    plant: (sound) => ({
      append: async (append) => (await sound.append(append)).map((events) => events.toReversed()),
    }),
  },
  {
    fault: 'counts versions from 0',
    law: 'versions count from 1 in each stream, over all appends to it',
    plant: (sound) => ({
      readStream: async (stream, after) =>
        (await sound.readStream(stream, after)).map((event) => ({
          ...event,
          version: event.version - 1,
        })),
    }),
  },
  {
    fault: 'counts positions from 1',
    law: 'positions are bigints, strictly rise over all streams, and tell the time in microseconds',
    plant: () => memoryEventStore({ now: () => new Date(0) }),
  },
  {
    fault: 'does not look at guards',
    law: 'a write without events guards the version of its stream and adds nothing to it',
    plant: (sound) => ({
      append: (append) =>
        sound.append({ ...append, writes: append.writes.filter(({ events }) => events.length) }),
    }),
  },
  {
    fault: 'records what comes before a conflict',
    law: 'every write is recorded or none, and the first stream that conflicts is told',
    plant: (sound) => ({
      append: async (append) => {
        const results = []
        for (const write of append.writes) {
          const result = await sound.append({ ...append, writes: [write] })
          if (result.isErr()) return err(result.error)
          results.push(...result.value)
        }
        return ok(results)
      },
    }),
  },
  {
    fault: 'tells the last stream that conflicts',
    law: 'every write is recorded or none, and the first stream that conflicts is told',
    plant: (sound) => ({
      append: (append) => sound.append({ ...append, writes: append.writes.toReversed() }),
    }),
  },
  {
    fault: 'hands out what it holds',
    law: 'what is recorded stays as it is, whatever happens to the objects handed in or out',
    plant: (sound) => {
      const log: unknown[] = []
      const keep = (events: readonly object[]) => {
        for (const event of events) log.push({ ...event })
        return log
      }
      return {
        readAll: async (after, limit) => {
          if (log.length === 0) keep(await sound.readAll(after, limit))
          return log as Awaited<ReturnType<Store['readAll']>>
        },
      }
    },
  },
  {
    fault: 'reads streams from a version on',
    law: 'a stream is read above a version, oldest first',
    plant: (sound) => ({ readStream: (stream, after = 0) => sound.readStream(stream, after - 1) }),
  },
  {
    fault: 'reads one event more than asked for',
    law: 'the log is read above a position, lowest first, at most as many events as asked for',
    plant: (sound) => ({ readAll: (after, limit) => sound.readAll(after, limit + 1) }),
  },
  {
    fault: 'takes positions for indexes',
    law: 'a position between or beyond those of events is a place in the log too',
    plant: (sound) => ({
      readAll: async (after, limit) => {
        const all = await sound.readAll(0n, 1000)
        const start = all.findIndex(({ position }) => position === after) + 1
        return all.slice(start, start + limit)
      },
    }),
  },
  {
    fault: 'finds only the first event of an append',
    law: 'an append is found by its id, with all of its events in the order written',
    plant: (sound) => ({ findAppend: async (by) => (await sound.findAppend(by)).slice(0, 1) }),
  },
  {
    fault: 'forgets idempotency keys',
    law: 'no second append is recorded under an idempotency key',
    plant: (sound) => ({
      append: ({ metadata: { idempotencyKey: _, ...metadata }, ...append }) =>
        sound.append({ ...append, metadata }),
    }),
  },
  {
    fault: 'uses up the key of an append without events',
    law: 'a conflict and an append without events use up no idempotency key',
    plant: (sound) => {
      const used = new Set<string | undefined>()
      return {
        append: async (append) => {
          const { idempotencyKey } = append.metadata
          if (used.has(idempotencyKey)) return err({ kind: 'IdempotencyKeyUsed' })
          if (idempotencyKey !== undefined) used.add(idempotencyKey)
          return sound.append(append)
        },
      }
    },
  },
  {
    fault: 'tells a conflict before a used key',
    law: 'a used idempotency key is told before a conflict, and to an append without events',
    plant: (sound) => ({
      append: async (append) => {
        for (const { stream, expectedVersion } of append.writes) {
          const { length } = await sound.readStream(stream)
          if (length !== expectedVersion) return err({ kind: 'VersionConflict', stream })
        }
        return sound.append(append)
      },
    }),
  },
  {
    fault: 'truncates what is too long',
    law: 'an append that no store can keep is rejected and leaves no trace',
    plant: (sound) => ({
      append: ({ metadata, ...append }) => {
        const correlationId = metadata.correlationId?.slice(0, 255)
        return sound.append({
          ...append,
          metadata: { ...metadata, ...(correlationId && { correlationId }) },
        })
      },
    }),
  },
  {
    fault: 'folds case',
    law: 'streams may have any name of well-formed text and are told apart code point by code point',
    plant: (sound) => ({
      append: (append) =>
        sound.append({
          ...append,
          writes: append.writes.map((write) => ({
            ...write,
            stream: write.stream.toLowerCase() as typeof write.stream,
          })),
        }),
    }),
  },
  {
    fault: 'loses lone surrogates',
    law: 'data is kept as JSON keeps it',
    plant: (sound) => ({
      readStream: async (stream) =>
        (await sound.readStream(stream)).map((event) => ({
          ...event,
          data: JSON.parse(JSON.stringify(event.data).replaceAll('\\ud800', '�')),
        })),
    }),
  },
  {
    fault: 'checks and writes in two steps',
    law: 'of appends sent at once to one version of a stream, one is recorded',
    plant: (sound) => ({
      append: async (append) => {
        const writes = []
        for (const write of append.writes) {
          const { length } = await sound.readStream(write.stream)
          if (length !== write.expectedVersion) return sound.append(append)
          writes.push(write)
        }
        await new Promise(setImmediate)
        const moved = await Promise.all(
          writes.map(async (write) => ({
            ...write,
            expectedVersion: (await sound.readStream(write.stream)).length,
          })),
        )
        return sound.append({ ...append, writes: moved })
      },
    }),
  },
  {
    fault: 'shows events late',
    law: 'a reader that pages through the log while others write misses nothing',
    plant: (sound) => {
      let reads = 0
      return {
        readAll: async (after, limit) => {
          const page = await sound.readAll(after, limit)
          return reads++ % 3 === 0 && page.length > 1 ? page.slice(1) : page
        },
      }
    },
  },
  {
    fault: 'wakes those who have stopped waiting',
    law: 'who has stopped waiting is not woken',
    plant: (sound) => ({
      onAppend: (wake) => {
        sound.onAppend?.(wake)
        return () => undefined
      },
    }),
  },
  {
    fault: 'restores without the last event',
    law: 'events are restored as they are and can be found and built upon',
    plant: (sound) => ({ restore: (events) => sound.restore(withoutLast(events)) }),
  },
  {
    fault: 'restores event by event',
    law: 'events are restored all or none, only in rising order above the last position',
    plant: (sound) => ({
      restore: async (events) => {
        for (const event of events) await sound.restore([event])
      },
    }),
  },
]

describe('The laws of event stores', () => {
  test.each(FAULTS)('find a store that $fault', async ({ law, plant }) => {
    const found = [...eventStoreLaws, ...eventRestoreLaws].find(({ name }) => name === law)
    const open = async () => {
      const sound = memoryEventStore()
      return { ...sound, ...plant(sound) }
    }
    const reopen = async (store: Store) => store
    await expect(found?.check({ open, reopen })).rejects.toThrow(BrokenLaw)
  })

  test('have different names', () => {
    const names = [...eventStoreLaws, ...eventRestoreLaws].map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  test('say what was expected', async () => {
    const law = eventStoreLaws.find(({ name }) => name.startsWith('the last position'))
    const store = { ...memoryEventStore(), lastPosition: async () => 7n }
    const harness = { open: async () => store, reopen: async () => store }
    await expect(law?.check(harness)).rejects.toThrow(
      'Expected the last position of an empty store to be "0n", not "7n"',
    )
  })
})
