import type { StreamId } from '../../domain/values.js'
import type { Position, RecordedEvent, Version } from '../../ports/event-store.js'
import { beginsAppend } from '../store/check-restore.js'
import { freezeEvent } from './freeze-event.js'
import { NOWHERE, streamEnds } from './stream-ends.js'

/** Events in memory, in the order of their positions, with what finds them quickly. */
export interface Log {
  readonly last: () => RecordedEvent | undefined
  readonly versionOf: (stream: StreamId) => Version
  readonly isKeyUsed: (idempotencyKey: string) => boolean
  /** Adds events that have been found to belong at the end, and freezes them. */
  readonly add: (events: readonly RecordedEvent[]) => void
  readonly stream: (stream: StreamId, afterVersion: Version) => readonly RecordedEvent[]
  readonly page: (after: Position, limit: number) => readonly RecordedEvent[]
  readonly countAfter: (after: Position) => number
  readonly appendWithId: (id: string) => readonly RecordedEvent[]
  readonly appendWithKey: (idempotencyKey: string) => readonly RecordedEvent[]
}

/** A log that holds nothing yet. */
export const emptyLog = (): Log => {
  const events: RecordedEvent[] = []
  const ends = streamEnds(events)
  /** Where the event before each one in its stream lies; {@link NOWHERE} for the first. */
  const before: number[] = []
  /** Where the append under each idempotency key begins. */
  const keys = new Map<string, number>()

  const add = (event: RecordedEvent): void => {
    const index = events.length
    const { idempotencyKey } = event.metadata
    if (idempotencyKey !== undefined && beginsAppend(event, events.at(-1))) {
      keys.set(idempotencyKey, index)
    }
    freezeEvent(event)
    before.push(event.version === 1 ? NOWHERE : ends.find(event.stream))
    events.push(event)
    ends.move(index)
  }

  const stream = (name: StreamId, afterVersion: Version): readonly RecordedEvent[] => {
    const newestFirst: RecordedEvent[] = []
    let index = ends.find(name)
    for (let event = events[index]; event && event.version > afterVersion; event = events[index]) {
      newestFirst.push(event)
      index = before[index] ?? NOWHERE
    }
    return newestFirst.reverse()
  }

  return {
    last: () => events.at(-1),
    versionOf: (name) => {
      const end = ends.find(name)
      return end === NOWHERE ? 0 : (events[end]?.version ?? 0)
    },
    isKeyUsed: (idempotencyKey) => keys.has(idempotencyKey),
    add: (added) => {
      for (const event of added) add(event)
    },
    stream,
    page: (after, limit) => {
      const start = indexAfter(events, after)
      return events.slice(start, start + Math.max(0, limit))
    },
    countAfter: (after) => events.length - indexAfter(events, after),
    appendWithId: (id) => {
      const end = events.findLastIndex((event) => event.appendId === id)
      let begin = end
      while (begin > 0 && events[begin - 1]?.appendId === id) begin--
      return end < 0 ? [] : events.slice(begin, end + 1)
    },
    appendWithKey: (idempotencyKey) => {
      const begin = keys.get(idempotencyKey)
      return begin === undefined ? [] : appendFrom(events, begin)
    },
  }
}

/** The append that begins at index `begin`. */
const appendFrom = (events: readonly RecordedEvent[], begin: number): readonly RecordedEvent[] => {
  const id = events[begin]?.appendId
  let end = begin
  while (end < events.length && events[end]?.appendId === id) end++
  return events.slice(begin, end)
}

/** Index of the first event above `position`. */
const indexAfter = (events: readonly RecordedEvent[], position: Position): number => {
  let low = 0
  let high = events.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((events[middle]?.position ?? 0n) > position) high = middle
    else low = middle + 1
  }
  return low
}
