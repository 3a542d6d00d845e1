import { err, ok, type Result } from 'neverthrow'
import type { StreamId } from '../../domain/values.js'
import type {
  Append,
  EventRestore,
  EventStore,
  IdempotencyKeyUsed,
  RecordedEvent,
  VersionConflict,
} from '../../ports/event-store.js'
import { checkAppend } from '../check-append.js'
import { beginsAppend, checkRestore } from '../check-restore.js'
import { type Clock, microsecondClock, nextPosition } from '../clock.js'
import { listeners } from '../listeners.js'
import { recordEvents } from '../record-events.js'
import { freezeEvent } from './freeze-event.js'

type Verdict = Result<readonly RecordedEvent[], VersionConflict | IdempotencyKeyUsed>

/**
 * A store that lives and dies with the program: for tests, and for trying things out. What it
 * records is frozen, the caller's `data` and `metadata` included.
 *
 * @param options - `now`: the system's time when absent
 */
export const memoryEventStore = ({
  now,
}: {
  readonly now?: Clock
} = {}): EventStore & EventRestore => {
  const clock = microsecondClock(now)
  const log: RecordedEvent[] = []
  const streams = new Map<StreamId, RecordedEvent[]>()
  /** Where in the log the append under an idempotency key begins. */
  const keys = new Map<string, number>()
  const { add: onAppend, wakeAll } = listeners()
  let last = 0

  const versionOf = (stream: StreamId) => streams.get(stream)?.length ?? 0

  const record = (event: RecordedEvent): void => {
    const { idempotencyKey } = event.metadata
    if (idempotencyKey !== undefined && beginsAppend(event, log.at(-1))) {
      keys.set(idempotencyKey, log.length)
    }
    freezeEvent(event)
    log.push(event)
    const stream = streams.get(event.stream)
    if (stream === undefined) streams.set(event.stream, [event])
    else stream.push(event)
  }

  const recordAll = (events: readonly RecordedEvent[]): void => {
    if (events.length === 0) return
    for (const event of events) record(event)
    last = Number(events.at(-1)?.position)
    wakeAll()
  }

  const append = async (append: Append): Promise<Verdict> => {
    const invalid = checkAppend(append)
    if (invalid) throw invalid
    const { idempotencyKey } = append.metadata
    if (idempotencyKey !== undefined && keys.has(idempotencyKey)) {
      return err({ kind: 'IdempotencyKeyUsed' })
    }
    for (const { stream, expectedVersion } of append.writes) {
      if (versionOf(stream) !== expectedVersion) return err({ kind: 'VersionConflict', stream })
    }
    const recorded = recordEvents(append, nextPosition(clock(), last))
    recordAll(recorded)
    return ok(recorded)
  }

  /** The append that begins at `index` of the log. */
  const appendFrom = (index: number): readonly RecordedEvent[] => {
    const id = log[index]?.appendId
    let end = index
    while (end < log.length && log[end]?.appendId === id) end++
    return log.slice(index, end)
  }

  const indexOfAppend = (id: string): number => {
    let index = log.findLastIndex((event) => event.appendId === id)
    while (index > 0 && log[index - 1]?.appendId === id) index--
    return index
  }

  return {
    append,
    readStream: async (stream, afterVersion = 0) =>
      streams.get(stream)?.slice(Math.max(0, afterVersion)) ?? [],
    readAll: async (after, limit) => {
      const start = indexAfter(log, after)
      return log.slice(start, start + Math.max(0, limit))
    },
    lastPosition: async () => BigInt(last),
    findAppend: async (by) => {
      const index = 'id' in by ? indexOfAppend(by.id) : (keys.get(by.idempotencyKey) ?? -1)
      return index < 0 ? [] : appendFrom(index)
    },
    onAppend,
    restore: async (events) => {
      const isKeyUsed = (key: string) => keys.has(key)
      const invalid = checkRestore(events, { last: log.at(-1), versionOf, isKeyUsed })
      if (invalid) throw invalid
      recordAll(events.map((event) => ({ ...event })))
    },
  }
}

/** Index of the first event of `log` above `position`. */
const indexAfter = (log: readonly RecordedEvent[], position: bigint): number => {
  let low = 0
  let high = log.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((log[middle]?.position ?? 0n) > position) high = middle
    else low = middle + 1
  }
  return low
}
