import { err, ok } from 'neverthrow'
import { isRecord, type StreamId } from '../../domain/values.js'
import type {
  EventCount,
  EventRestore,
  EventStore,
  Position,
  RecordedEvent,
  Version,
} from '../../ports/event-store.js'
import { countWhile } from '../../projections/row-order.js'
import {
  beginsAppend,
  type Clock,
  checkAppend,
  checkRestore,
  listeners,
  microsecondClock,
  nextPosition,
  recordEvents,
} from '../store/record-events.js'

/** Options of a store in memory. */
export interface MemoryEventStoreOptions {
  /** The clock of positions. Default: the system's time. */
  readonly now?: Clock | undefined
}

/**
 * Creates an event store in memory, for tests and first steps; its events are lost when the process ends. Recorded
 * events are frozen, including the caller's `data` and `metadata`.
 *
 * @throws TypeError when `now` is not a function
 */
export const memoryEventStore = ({
  now,
}: MemoryEventStoreOptions = {}): EventStore & EventRestore & EventCount => {
  const clock = microsecondClock(now)
  const { add: onAppend, wakeAll } = listeners()
  /** In the order of their positions. */
  const events: RecordedEvent[] = []
  const streams = new Map<StreamId, RecordedEvent[]>()
  /** Index of the first event of the append under each idempotency key. */
  const keys = new Map<string, number>()

  const versionOf = (stream: StreamId): Version => streams.get(stream)?.length ?? 0
  // The version of an event is its number in the stream.
  const eventsAbove = (stream: StreamId, version: Version): readonly RecordedEvent[] =>
    streams.get(stream)?.slice(version) ?? []
  const isKeyUsed = (idempotencyKey: string): boolean => keys.has(idempotencyKey)
  const lastPosition = (): Position => events.at(-1)?.position ?? 0n
  const indexAfter = (position: Position): number =>
    countWhile(events, (event) => event.position <= position)

  /** Adds an event that was checked before, and freezes it. */
  const add = (event: RecordedEvent, idempotencyKey = event.metadata.idempotencyKey): void => {
    if (idempotencyKey !== undefined && beginsAppend(event, events.at(-1)))
      keys.set(idempotencyKey, events.length)
    freeze(event)
    events.push(event)
    const stream = streams.get(event.stream)
    if (stream) stream.push(event)
    else streams.set(event.stream, [event])
  }

  return {
    append: async (append) => {
      const invalid = checkAppend(append)
      if (invalid) throw invalid
      const { idempotencyKey } = append.metadata
      if (idempotencyKey !== undefined && isKeyUsed(idempotencyKey))
        return err({ kind: 'IdempotencyKeyUsed' })
      for (const { stream, expectedVersion } of append.writes)
        if (versionOf(stream) !== expectedVersion) return err({ kind: 'VersionConflict', stream })
      const recorded = recordEvents(append, nextPosition(clock(), Number(lastPosition())))
      for (const event of recorded) add(event)
      if (recorded.length > 0) wakeAll()
      return ok(recorded)
    },
    readStream: async (stream, afterVersion = 0) => eventsAbove(stream, afterVersion),
    readStreams: async (reads) =>
      reads.map(({ stream, afterVersion }) => eventsAbove(stream, afterVersion)),
    readAll: async (after, limit) => {
      const start = indexAfter(after)
      return events.slice(start, start + Math.max(0, limit))
    },
    countAfter: async (after) => events.length - indexAfter(after),
    lastPosition: async () => lastPosition(),
    findAppend: async (by) => {
      const index =
        'id' in by
          ? // From the end: a writer looks for an append that it has just sent.
            events.findLastIndex((event) => event.appendId === by.id)
          : (keys.get(by.idempotencyKey) ?? -1)
      const id = events[index]?.appendId
      if (id === undefined) return []
      let [begin, end] = [index, index + 1]
      while (events[begin - 1]?.appendId === id) begin--
      while (events[end]?.appendId === id) end++
      return events.slice(begin, end)
    },
    onAppend,
    restore: async (restored) => {
      const invalid = checkRestore(restored, { last: events.at(-1), versionOf, isKeyUsed })
      if (invalid) throw invalid
      // A damaged event throws here, before anything is added.
      const copies = restored.map((event) => [{ ...event }, event.metadata.idempotencyKey] as const)
      for (const [event, idempotencyKey] of copies) add(event, idempotencyKey)
      wakeAll()
    },
  }
}

/** Protects the log from changes by writers and readers. */
const freeze = (event: RecordedEvent): void => {
  freezeAll(event.data)
  // Appends in a row often share their metadata.
  if (!Object.isFrozen(event.metadata)) freezeAll(event.metadata)
  Object.freeze(event)
}

const freezeAll = (value: unknown): void => {
  if (!isRecord(value)) return
  Object.freeze(value)
  // Faster than `Object.values`.
  for (const key in value) freezeAll(value[key])
}
