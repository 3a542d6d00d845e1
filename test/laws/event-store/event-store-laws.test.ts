import { err, ok } from 'neverthrow'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { memoryEventStore } from '../../../src/adapters/memory/event-store.js'
import { eventRestoreLaws, eventStoreLaws } from '../../../src/laws/index.js'
import { BrokenLaw } from '../../../src/laws/law.js'
import type {
  Append,
  EventCount,
  EventRestore,
  EventStore,
  RecordedEvent,
} from '../../../src/ports/event-store.js'

type Store = EventStore & EventRestore & EventCount

const TOGETHER =
  'A store that reads several streams together returns each above its version, in the order asked.'

/** A store with one fault, and the law that must find it. */
interface Fault {
  readonly fault: string
  readonly law: string
  /** What a handle on what `sound` holds does otherwise. */
  readonly plant: (sound: Store) => Partial<Store>
}

/** What is counted instead of `count` events above `after`, of `all`. */
type Count = (sound: Store, count: number, all: number, after: bigint) => number | Promise<number>

const withoutLast = <Item>(items: readonly Item[]) => items.slice(0, -1)

const oneTurn = () => new Promise(setImmediate)

/** `append`, one after the other, as a handle with a single connection does it. */
const inTurn = (append: Store['append']): Store['append'] => {
  let turn: Promise<unknown> = Promise.resolve()
  return (one) => {
    const answer = turn.then(() => append(one))
    turn = answer.catch(() => undefined)
    return answer
  }
}

/** A store that answers with copies of what it holds, but in `method` with the thing itself. */
const handingOut =
  (method: 'append' | 'findAppend') =>
  (sound: Store): Partial<Store> => {
    const held = new Map<bigint, RecordedEvent>()
    const hold = (event: RecordedEvent): RecordedEvent => {
      const kept = held.get(event.position) ?? structuredClone(event)
      held.set(event.position, kept)
      return kept
    }
    const handOut = (by: keyof Store) => (events: readonly RecordedEvent[]) =>
      events.map((event) => (by === method ? hold(event) : structuredClone(hold(event))))
    return {
      append: async (append) => (await sound.append(append)).map(handOut('append')),
      findAppend: async (by) => handOut('findAppend')(await sound.findAppend(by)),
      readStream: async (...from) => handOut('readStream')(await sound.readStream(...from)),
      readAll: async (after, limit) => handOut('readAll')(await sound.readAll(after, limit)),
    }
  }

/** A store that remembers what `read` found, as far as `isWorthIt`, until it appends itself. */
const remembering = <Input, Output>(
  sound: Store,
  read: (input: Input) => Promise<Output>,
  isWorthIt: (found: Output) => boolean = () => true,
) => {
  const known = new Map<string, Output>()
  return {
    append: (append: Parameters<Store['append']>[0]) => {
      known.clear()
      return sound.append(append)
    },
    read: async (input: Input): Promise<Output> => {
      const key = JSON.stringify(input)
      const found = known.get(key) ?? (await read(input))
      if (isWorthIt(found)) known.set(key, found)
      return found
    },
  }
}

const byStream = (events: readonly RecordedEvent[]) =>
  events.toSorted((one, other) => (one.stream < other.stream ? -1 : 1))

const FAULTS: readonly Fault[] = [
  {
    fault: 'returns events stream by stream',
    law: 'An append returns its events as recorded, in the order written.',
    plant: (sound) => ({
      append: async (append) => (await sound.append(append)).map(byStream),
    }),
  },
  {
    fault: 'finds the events of an append stream by stream',
    law: 'An append is found by its id, with all of its events in the order written.',
    plant: (sound) => ({ findAppend: async (by) => byStream(await sound.findAppend(by)) }),
  },
  {
    fault: 'records a large append in pieces',
    law: 'A large append is read as a whole or not at all, at any time.',
    plant: (sound) => ({
      append: async (append) => {
        const events: RecordedEvent[] = []
        for (let from = 0; from < append.writes.length; from += 100) {
          const writes = append.writes.slice(from, from + 100)
          const recorded = await sound.append({ ...append, writes })
          if (recorded.isErr()) return err(recorded.error)
          events.push(...recorded.value)
          await oneTurn()
        }
        return ok(events)
      },
    }),
  },
  {
    fault: 'returns events in another order',
    law: 'An append returns its events as recorded, in the order written.',
    plant: (sound) => ({
      append: async (append) => (await sound.append(append)).map((events) => events.toReversed()),
    }),
  },
  {
    fault: 'counts versions from 0',
    law: 'Versions count from 1 in each stream, over all appends to it.',
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
    law: 'Positions are bigints, rise over all streams, and are microseconds.',
    plant: () => memoryEventStore({ now: () => new Date(0) }),
  },
  {
    fault: 'does not look at guards',
    law: 'A write without events guards its stream and adds nothing to it.',
    plant: (sound) => ({
      append: (append) =>
        sound.append({ ...append, writes: append.writes.filter(({ events }) => events.length) }),
    }),
  },
  {
    fault: 'looks at one guard alone',
    law: 'An append may have any number of guards, and each may refuse it.',
    plant: (sound) => ({
      append: (append) => sound.append({ ...append, writes: append.writes.slice(0, 2) }),
    }),
  },
  {
    fault: 'records what comes before a conflict',
    law: 'Either all writes are recorded or none, and the first conflict is reported.',
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
    law: 'Either all writes are recorded or none, and the first conflict is reported.',
    plant: (sound) => ({
      append: (append) => sound.append({ ...append, writes: append.writes.toReversed() }),
    }),
  },
  {
    fault: 'hands out what it holds',
    law: 'Changing a value that was passed in or returned changes nothing stored.',
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
    law: 'A stream is read above a version, oldest event first.',
    plant: (sound) => ({ readStream: (stream, after = 0) => sound.readStream(stream, after - 1) }),
  },
  {
    fault: 'reads several streams in the order of their names',
    law: TOGETHER,
    plant: (sound) => ({
      readStreams: (reads) =>
        Promise.all(
          reads
            .toSorted((one, other) => (one.stream < other.stream ? -1 : 1))
            .map(({ stream, afterVersion }) => sound.readStream(stream, afterVersion)),
        ),
    }),
  },
  {
    fault: 'reads several streams whole',
    law: TOGETHER,
    plant: (sound) => ({
      readStreams: (reads) => Promise.all(reads.map(({ stream }) => sound.readStream(stream))),
    }),
  },
  {
    fault: 'leaves out streams without events',
    law: TOGETHER,
    plant: (sound) => ({
      readStreams: async (reads) => {
        const read = reads.map(({ stream, afterVersion }) => sound.readStream(stream, afterVersion))
        return (await Promise.all(read)).filter((events) => events.length > 0)
      },
    }),
  },
  {
    fault: 'reads one event more than asked for',
    law: 'The log is read above a position, lowest position first, up to the limit.',
    plant: (sound) => ({ readAll: (after, limit) => sound.readAll(after, limit + 1) }),
  },
  {
    fault: 'takes positions for indexes',
    law: 'The log can be read from any position, also from one without an event.',
    plant: (sound) => ({
      readAll: async (after, limit) => {
        const all = await sound.readAll(0n, 1000)
        const start = all.findIndex(({ position }) => position === after) + 1
        return all.slice(start, start + limit)
      },
    }),
  },
  {
    fault: 'keeps only the metadata that it knows',
    law: 'An append returns its events as recorded, in the order written.',
    plant: (sound) => ({
      append: ({ metadata: { managedVersion: _, ...metadata }, ...append }) =>
        sound.append({ ...append, metadata }),
    }),
  },
  {
    fault: 'finds only the first event of an append',
    law: 'An append is found by its id, with all of its events in the order written.',
    plant: (sound) => ({ findAppend: async (by) => (await sound.findAppend(by)).slice(0, 1) }),
  },
  {
    fault: 'forgets idempotency keys',
    law: 'No handle records a second append under one idempotency key.',
    plant: (sound) => ({
      append: ({ metadata: { idempotencyKey: _, ...metadata }, ...append }) =>
        sound.append({ ...append, metadata }),
    }),
  },
  {
    fault: 'uses up the key of an append without events',
    law: 'A conflict or an append without events does not use its idempotency key.',
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
    law: 'A used idempotency key is reported first, even for a mere guard.',
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
    law: 'An append that no store can keep is rejected and leaves no trace.',
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
    fault: 'forgets what an append protects',
    law: 'An append returns its events as recorded, in the order written.',
    plant: (sound) => ({
      append: ({ metadata: { protect: _, ...metadata }, ...append }) =>
        sound.append({ ...append, metadata }),
    }),
  },
  {
    fault: 'forgets reasons',
    law: 'An append returns its events as recorded, in the order written.',
    plant: (sound) => ({
      append: ({ metadata: { reason: _, ...metadata }, ...append }) =>
        sound.append({ ...append, metadata }),
    }),
  },
  {
    fault: 'folds case',
    law: 'Stream names are any well-formed text, compared by code points.',
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
    law: 'Data is stored as JSON represents it.',
    plant: (sound) => ({
      readStream: async (stream) =>
        (await sound.readStream(stream)).map((event) => ({
          ...event,
          data: JSON.parse(JSON.stringify(event.data).replaceAll('\\ud800', '�')),
        })),
    }),
  },
  {
    fault: 'composes letters and their accents',
    law: 'Data is stored as JSON represents it.',
    plant: (sound) => ({
      readStream: async (stream) =>
        (await sound.readStream(stream)).map((event) => ({
          ...event,
          data: JSON.parse(JSON.stringify(event.data).normalize()),
        })),
    }),
  },
  {
    fault: 'checks and writes in two steps',
    law: 'Of simultaneous appends to one version, exactly one is recorded.',
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
    law: 'A reader that pages through a growing log misses nothing.',
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
    law: 'A removed listener is not called.',
    plant: (sound) => ({
      onAppend: (wake) => {
        sound.onAppend?.(wake)
        return () => undefined
      },
    }),
  },
  {
    fault: 'restores without the last event',
    law: 'Events are restored as they are, and the log continues.',
    plant: (sound) => ({ restore: (events) => sound.restore(withoutLast(events)) }),
  },
  {
    fault: 'restores event by event',
    law: 'Either all events are restored or none, in rising order above the last position.',
    plant: (sound) => ({
      restore: async (events) => {
        for (const event of events) await sound.restore([event])
      },
    }),
  },
  {
    fault: 'tells null for what an append does not say',
    law: 'An append returns its events as recorded, in the order written.',
    plant: (sound) => ({
      readAll: async (after, limit) =>
        (await sound.readAll(after, limit)).map((event) => ({
          ...event,
          metadata: { correlationId: null as never, ...event.metadata },
        })),
    }),
  },
  {
    fault: 'leaves out versions',
    law: 'A stream and an append of many events are read as a whole.',
    plant: (sound) => {
      const skipping = (events: readonly RecordedEvent[]) =>
        events.map((event) =>
          event.version > 9 ? { ...event, version: event.version + 1 } : event,
        )
      return {
        append: async (append) => (await sound.append(append)).map(skipping),
        readStream: async (...from) => skipping(await sound.readStream(...from)),
        findAppend: async (by) => skipping(await sound.findAppend(by)),
      }
    },
  },
  {
    fault: 'keeps the keys of organizations apart',
    law: 'No handle records a second append under one idempotency key.',
    plant: (sound) => ({
      append: ({ metadata: { idempotencyKey: key, ...metadata }, ...append }) => {
        const idempotencyKey = `${metadata.actor.orgId}+${key}`
        return sound.append({ ...append, metadata: { ...metadata, idempotencyKey } })
      },
    }),
  },
  {
    fault: 'knows no position below 0',
    law: 'The log can be read from any position, also from one without an event.',
    plant: (sound) => ({
      readAll: async (after, limit) => (after < 0n ? [] : sound.readAll(after, limit)),
    }),
  },
  ...(
    [
      ['adds where it should take away', (_, count, all) => all + count],
      ['counts the event at a position', (sound, _, __, after) => sound.countAfter(after - 1n)],
      ['counts an event of an empty store', (_, count, all) => (all === 0 ? 1 : count)],
      [
        'knows no position beyond 64 bits',
        (_, count, all, after) => (after < 2n ** 63n ? count : all),
      ],
    ] satisfies readonly (readonly [string, Count])[]
  ).map(([fault, count]) => ({
    fault: `${fault} when it counts events`,
    law: 'A store that counts events counts the events above a position.',
    plant: (sound: Store): Partial<Store> => ({
      countAfter: async (after) =>
        count(sound, await sound.countAfter(after), await sound.countAfter(0n), after),
    }),
  })),
  ...(
    [
      ['takes any id', (append) => ({ ...append, id: append.id.replace(/[^0-9A-Z]/gu, '') })],
      ['cuts ids off', (append) => ({ ...append, id: append.id.slice(0, 26) })],
      [
        'takes any expected version',
        (append) => ({
          ...append,
          writes: append.writes.map((write) => ({
            ...write,
            expectedVersion: write.expectedVersion === 2 ** 53 ? 0 : write.expectedVersion,
          })),
        }),
      ],
      [
        'takes any schema version',
        (append) => ({
          ...append,
          writes: append.writes.map((write) => ({
            ...write,
            events: write.events.map((event) => ({
              ...event,
              schemaVersion: event.schemaVersion === 2 ** 53 ? 1 : event.schemaVersion,
            })),
          })),
        }),
      ],
      [
        'looks for a stream that is named twice next to itself alone',
        ({ writes: [first, ...others], ...append }) => ({
          ...append,
          writes:
            first === undefined || others.length !== 2
              ? [...(first ? [first] : []), ...others]
              : [first, ...others.filter(({ stream }) => stream !== first.stream)],
        }),
      ],
    ] satisfies readonly (readonly [string, (append: Append) => Append])[]
  ).map(([fault, change]) => ({
    fault,
    law: 'An append that no store can keep is rejected and leaves no trace.',
    plant: (sound: Store): Partial<Store> => ({ append: (append) => sound.append(change(append)) }),
  })),
  {
    fault: 'holds what was handed in to be restored',
    law: 'Events are restored as they are, and the log continues.',
    plant: (sound) => {
      let held: readonly RecordedEvent[] = []
      return {
        restore: async (events) => {
          await sound.restore(structuredClone(events))
          held = events
        },
        readAll: async (after, limit) => (held.length > 0 ? held : sound.readAll(after, limit)),
      }
    },
  },
  {
    fault: 'goes by the clock alone after a restore',
    law: 'Events are restored as they are, and the log continues.',
    plant: (sound) => ({
      append: async (append) =>
        (await sound.append(append)).map((events) =>
          events.map((event) => ({ ...event, position: BigInt(Date.now()) * 1000n })),
        ),
    }),
  },
  {
    fault: 'restores a key twice at once',
    law: 'Either all events are restored or none, in rising order above the last position.',
    plant: (sound) => ({
      restore: (events) => {
        const key = events[0]?.metadata.idempotencyKey
        return sound.restore(
          events.map((event, n) =>
            n > 0 && key !== undefined && event.metadata.idempotencyKey === key
              ? { ...event, appendId: events[0]?.appendId ?? '' }
              : event,
          ),
        )
      },
    }),
  },
  {
    fault: 'pages through the log without keys',
    law: 'An append returns its events as recorded, in the order written.',
    plant: (sound) => ({
      readAll: async (after, limit) =>
        (await sound.readAll(after, limit)).map(({ metadata, ...event }) => {
          const { idempotencyKey: _, ...shown } = metadata
          return { ...event, metadata: shown }
        }),
    }),
  },
  {
    fault: 'moves the last position for a mere guard',
    law: 'An append without events records nothing.',
    plant: (sound) => {
      let guards = 0n
      return {
        append: async (append) => {
          const result = await sound.append(append)
          if (result.isOk() && result.value.length === 0) guards++
          return result
        },
        lastPosition: async () => (await sound.lastPosition()) + guards,
      }
    },
  },
  ...(['append', 'findAppend'] as const).map((method) => ({
    fault: `hands out in ${method} what it holds`,
    law: 'Changing a value that was passed in or returned changes nothing stored.',
    plant: handingOut(method),
  })),
  {
    fault: 'lets mere guards pass',
    law: 'A write without events guards its stream and adds nothing to it.',
    plant: (sound) => ({
      append: async (append) => {
        const result = await sound.append(append)
        const isGuard = append.writes.every(({ events }) => events.length === 0)
        return isGuard && result.isErr() && 'stream' in result.error ? ok([]) : result
      },
    }),
  },
  {
    fault: 'reads a thousand events of a stream at most',
    law: 'A stream and an append of many events are read as a whole.',
    plant: (sound) => ({
      readStream: async (...from) => (await sound.readStream(...from)).slice(0, 1000),
    }),
  },
  {
    fault: 'finds a thousand events of an append at most',
    law: 'A stream and an append of many events are read as a whole.',
    plant: (sound) => ({ findAppend: async (by) => (await sound.findAppend(by)).slice(0, 1000) }),
  },
  {
    fault: 'remembers the last position',
    law: 'Every handle reads what one handle records.',
    plant: (sound) => {
      const { append, read } = remembering(sound, (_: 'last') => sound.lastPosition())
      return { append, lastPosition: () => read('last') }
    },
  },
  {
    fault: 'remembers streams',
    law: 'Every handle reads what one handle records.',
    plant: (sound) => {
      const { append, read } = remembering(sound, (from: Parameters<Store['readStream']>) =>
        sound.readStream(...from),
      )
      return { append, readStream: (...from) => read(from) }
    },
  },
  {
    fault: 'remembers which appends were not there',
    law: 'Every handle reads what one handle records.',
    plant: (sound) => {
      const { append, read } = remembering(sound, sound.findAppend, ({ length }) => length === 0)
      return { append, findAppend: read }
    },
  },
  {
    fault: 'looks a key up before it records',
    law: 'Of simultaneous appends under one key, exactly one is recorded.',
    plant: (sound) => ({
      append: inTurn(async (append) => {
        const { idempotencyKey, ...metadata } = append.metadata
        if (idempotencyKey === undefined) return sound.append(append)
        const before = await sound.findAppend({ idempotencyKey })
        if (before.length > 0) return err({ kind: 'IdempotencyKeyUsed' })
        await oneTurn()
        const result = await sound.append(append)
        return result.isOk() ? result : sound.append({ ...append, metadata })
      }),
    }),
  },
  {
    fault: 'looks at guards before it records',
    law: 'A guard and a write of one stream are recorded one after the other.',
    plant: (sound) => ({
      append: inTurn(async (append) => {
        const writes = append.writes.filter(({ events }) => events.length)
        const hasBoth = writes.length > 0 && writes.length < append.writes.length
        if (!hasBoth) return sound.append(append)
        for (const { stream, expectedVersion } of append.writes) {
          const { length } = await sound.readStream(stream)
          if (length !== expectedVersion) return err({ kind: 'VersionConflict', stream })
        }
        await oneTurn()
        return sound.append({ ...append, writes })
      }),
    }),
  },
  {
    fault: 'shows an append a moment after a later one',
    law: 'A reader that pages through a growing log misses nothing.',
    plant: (sound) => {
      const hidden = new Set<string>()
      let appends = 0
      return {
        append: async (append) => {
          if (appends++ % 2 === 0) hidden.add(append.id)
          const result = await sound.append(append)
          await oneTurn()
          hidden.delete(append.id)
          return result
        },
        readAll: async (after, limit) =>
          (await sound.readAll(after, 1_000_000))
            .filter(({ appendId }) => !hidden.has(appendId))
            .slice(0, Math.max(0, limit)),
      }
    },
  },
  {
    fault: 'reads the first page for ever',
    law: 'A reader that pages through a growing log misses nothing.',
    plant: (sound) => ({ readAll: (_, limit) => sound.readAll(0n, limit) }),
  },
]

/** Opens stores with the fault of `plant` in every handle. */
const harnessOf = (plant: Fault['plant']) => {
  const sounds = new Map<Store, Store>()
  const handleOn = (sound: Store): Store => {
    const handle = { ...sound, ...plant(sound) }
    sounds.set(handle, sound)
    return handle
  }
  return {
    open: async () => handleOn(memoryEventStore()),
    reopen: async (store: Store) => handleOn(sounds.get(store) ?? store),
  }
}

const lawNamed = (law: string) => {
  const found = [...eventStoreLaws, ...eventRestoreLaws].find(({ name }) => name === law)
  if (found === undefined) throw new Error(`There is no law “${law}”`)
  return found
}

describe('The laws of event stores', () => {
  test.each(FAULTS)('find a store that $fault', async ({ law, plant }) => {
    await expect(lawNamed(law).check(harnessOf(plant))).rejects.toThrow(BrokenLaw)
  })

  describe('find, and leave nothing behind of, a store that', () => {
    const law = lawNamed('A reader that pages through a growing log misses nothing.')

    test('answers a conflict that there is not', async () => {
      let appends = 0
      let reads = 0
      const harness = harnessOf((sound) => ({
        append: async (append) =>
          ++appends === 30
            ? err({ kind: 'VersionConflict', stream: 'law-guard' })
            : sound.append(append),
        readAll: (after, limit) => {
          reads++
          return sound.readAll(after, limit)
        },
      }))
      await expect(law.check(harness)).rejects.toThrow(BrokenLaw)
      const readsOfTheLaw = reads
      for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
      expect(reads).toBe(readsOfTheLaw)
    })

    test('records a bad append and fails to record the others', async () => {
      const neighbours = lawNamed('A rejected append does not affect an append sent with it.')
      const harness = harnessOf(() => ({
        append: async ({ writes }) => {
          if (writes.length === 0) return ok([])
          throw new Error('is away')
        },
      }))
      await expect(neighbours.check(harness)).rejects.toThrow(BrokenLaw)
    })

    test('fails to read while others write', async () => {
      let reads = 0
      const harness = harnessOf((sound) => ({
        append: async (append) => {
          await oneTurn()
          return sound.append(append)
        },
        readAll: (after, limit) =>
          ++reads === 2 ? Promise.reject(new Error('is away')) : sound.readAll(after, limit),
      }))
      await expect(law.check(harness)).rejects.toThrow('is away')
    })
  })

  describe('wait no longer than 5 s for a store that', () => {
    const appending = 'Every append calls the listeners of every handle.'
    const restoring = 'A restore calls the listeners of every handle.'

    /** Those who wait on any handle of a store. */
    const waiting = new Map<Store, Set<() => void>>()

    test.each<readonly [fault: string, law: string, Fault['plant']]>([
      [
        'records nothing',
        appending,
        () => ({ append: async () => err({ kind: 'IdempotencyKeyUsed' }) }),
      ],
      ['wakes nobody', appending, () => ({ onAppend: () => () => undefined })],
      [
        'wakes before it records',
        appending,
        (sound) => {
          const wakes = waiting.get(sound) ?? new Set()
          waiting.set(sound, wakes)
          return {
            onAppend: (wake) => {
              wakes.add(wake)
              return () => wakes.delete(wake)
            },
            append: async (append) => {
              for (const wake of wakes) wake()
              await oneTurn()
              return sound.append(append)
            },
          }
        },
      ],
      [
        'wakes but once',
        appending,
        (sound) => ({
          onAppend: (wake) => {
            const stop = sound.onAppend?.(() => {
              stop?.()
              wake()
            })
            return () => stop?.()
          },
        }),
      ],
      [
        'restores in silence',
        restoring,
        (sound) => {
          let isRestoring = false
          return {
            onAppend: (wake) => {
              const stop = sound.onAppend?.(() => {
                if (!isRestoring) wake()
              })
              return () => stop?.()
            },
            restore: async (events) => {
              isRestoring = true
              await sound.restore(events)
              await oneTurn()
              isRestoring = false
            },
          }
        },
      ],
    ])('%s', async (_, law, plant) => {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
      onTestFinished(() => void vi.useRealTimers())
      const found = expect(lawNamed(law).check(harnessOf(plant))).rejects.toThrow(BrokenLaw)
      for (let turn = 0; turn < 10; turn++) await oneTurn()
      await vi.advanceTimersByTimeAsync(5_000)
      await found
    })
  })

  test('have different names', () => {
    const names = [...eventStoreLaws, ...eventRestoreLaws].map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  test('say what was expected', async () => {
    const law = eventStoreLaws.find(({ name }) => name.startsWith('The last position is'))
    const store = { ...memoryEventStore(), lastPosition: async () => 7n }
    const harness = { open: async () => store, reopen: async () => store }
    await expect(law?.check(harness)).rejects.toThrow(
      'Expected the last position of an empty store to be "0n", not "7n"',
    )
  })
})
