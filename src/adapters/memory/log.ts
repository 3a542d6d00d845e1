import type { StreamId } from '../../domain/values.js'
import type { Position, RecordedEvent, Version } from '../../ports/event-store.js'
import { beginsAppend } from '../store/check-restore.js'
import { countUpTo } from './count-up-to.js'

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
