import { err, ok } from 'neverthrow'
import type { Append, EventCount, EventRestore, EventStore } from '../../ports/event-store.js'
import { checkAppend } from '../store/check-append.js'
import { checkRestore } from '../store/check-restore.js'
import { type Clock, microsecondClock, nextPosition } from '../store/clock.js'
import type { Verdict } from '../store/group-commit.js'
import { listeners } from '../store/listeners.js'
import { recordEvents } from '../store/record-events.js'
import { emptyLog } from './log.js'

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
