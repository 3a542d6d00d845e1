import { err, ok } from 'neverthrow'
import type { StreamId } from '../../domain/values.js'
import type {
  Append,
  EventCount,
  EventRestore,
  EventStore,
  Position,
  RecordedEvent,
  Version,
} from '../../ports/event-store.js'
import { beginsAppend, checkAppend, checkRestore } from '../store/check-append.js'
import type { Verdict } from '../store/group-commit.js'
import {
  type Clock,
  listeners,
  microsecondClock,
  nextPosition,
  recordEvents,
} from '../store/record-events.js'
import { countUpTo } from './rows.js'

/** Options of a store in memory. */
export interface MemoryEventStoreOptions {
  /** The clock of positions; the system's time when absent. */
  readonly now?: Clock | undefined
}

/**
 * A store that lives as long as the program: for tests, and for trying things out. Recorded events are
 * frozen, the caller's `data` and `metadata` included.
 *
 * @throws TypeError when `now` is no function
 */
export const memoryEventStore = ({
  now,
}: MemoryEventStoreOptions = {}): EventStore & EventRestore & EventCount => {
  const clock = microsecondClock(now)
  const log = emptyLog()
  const { add: onAppend, wakeAll } = listeners()
  let last = 0

  const write = (append: Append): Verdict => {
    const { idempotencyKey } = append.metadata
    if (idempotencyKey !== undefined && log.isKeyUsed(idempotencyKey)) {
      return err({ kind: 'IdempotencyKeyUsed' })
    }
    for (const { stream, expectedVersion } of append.writes) {
      if (log.versionOf(stream) !== expectedVersion) return err({ kind: 'VersionConflict', stream })
    }
    const first = nextPosition(clock(), last)
    const recorded = recordEvents(append, first)
    if (recorded.length === 0) return ok(recorded)
    log.add(recorded)
    last = first + recorded.length - 1
    wakeAll()
    return ok(recorded)
  }

  return {
    append: async (append) => {
      const invalid = checkAppend(append)
      if (invalid) throw invalid
      return write(append)
    },
    readStream: async (stream, afterVersion = 0) => log.stream(stream, afterVersion),
    readAll: async (after, limit) => log.page(after, limit),
    countAfter: async (after) => log.countAfter(after),
    lastPosition: async () => BigInt(last),
    findAppend: async (by) =>
      'id' in by ? log.appendWithId(by.id) : log.appendWithKey(by.idempotencyKey),
    onAppend,
    restore: async (events) => {
      const invalid = checkRestore(events, { ...log, last: log.last() })
      if (invalid) throw invalid
      log.add(events.map((event) => ({ ...event })))
      last = Number(log.last()?.position ?? last)
      wakeAll()
    },
  }
}

/** Events in memory, in the order of their positions. */
export const emptyLog = () => {
  const events: RecordedEvent[] = []
  const streams = new Map<StreamId, RecordedEvent[]>()
  /** Index of the first event of the append under each idempotency key. */
  const keys = new Map<string, number>()

  const indexAfter = (position: Position): number =>
    countUpTo(events, position, (event) => event.position)

  return {
    last: (): RecordedEvent | undefined => events.at(-1),
    versionOf: (stream: StreamId): Version => streams.get(stream)?.length ?? 0,
    isKeyUsed: (idempotencyKey: string): boolean => keys.has(idempotencyKey),

    /** Adds events that were checked before, and freezes them. */
    add: (added: readonly RecordedEvent[]): void => {
      for (const event of added) {
        const { idempotencyKey } = event.metadata
        if (idempotencyKey !== undefined && beginsAppend(event, events.at(-1)))
          keys.set(idempotencyKey, events.length)
        freeze(event)
        events.push(event)
        if (event.version === 1) streams.set(event.stream, [event])
        else streams.get(event.stream)?.push(event)
      }
    },

    // An event's version is its number in the stream.
    stream: (stream: StreamId, afterVersion: Version): readonly RecordedEvent[] =>
      streams.get(stream)?.slice(afterVersion) ?? [],

    page: (after: Position, limit: number): readonly RecordedEvent[] => {
      const start = indexAfter(after)
      return events.slice(start, start + Math.max(0, limit))
    },

    countAfter: (after: Position): number => events.length - indexAfter(after),

    appendWithId: (id: string): readonly RecordedEvent[] => {
      // From the end: a writer looks for what it has just sent.
      const end = events.findLastIndex((event) => event.appendId === id)
      let begin = end
      while (begin > 0 && events[begin - 1]?.appendId === id) begin--
      return end < 0 ? [] : events.slice(begin, end + 1)
    },

    appendWithKey: (idempotencyKey: string): readonly RecordedEvent[] => {
      const begin = keys.get(idempotencyKey)
      if (begin === undefined) return []
      const id = events[begin]?.appendId
      let end = begin
      while (end < events.length && events[end]?.appendId === id) end++
      return events.slice(begin, end)
    },
  }
}

/** Protects the log from changes by those who pass an event in or read it. */
const freeze = (event: RecordedEvent): void => {
  freezeAll(event.data)
  // Appends in a row often share their metadata.
  if (!Object.isFrozen(event.metadata)) freezeAll(event.metadata)
  Object.freeze(event)
}

const freezeAll = (value: unknown): void => {
  if (!isObject(value)) return
  Object.freeze(value)
  // Faster than `Object.values`.
  for (const key in value) freezeAll(value[key])
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null
