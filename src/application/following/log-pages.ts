import { FUNCTION, SIGNAL } from '../../check-options.js'
import { type Environment, systemEnvironment } from '../../ports/environment.js'
import type { EventStore, Position, RecordedEvent } from '../../ports/event-store.js'
import type { Host } from '../../ports/host.js'
import { callPort, wakeableSleep } from '../waiting.js'

/** Consecutive events of a log. */
export interface LogPage {
  /** At least one. */
  readonly events: readonly RecordedEvent[]
  /** Position of the last of them. */
  readonly position: Position
}

/** Options of {@link logPages}. */
interface LogReading {
  /** Most events of a page. Default: 1,000. They are in memory until the next page is requested. */
  readonly size?: number
  readonly signal?: AbortSignal | undefined
  /** Default: the machine's, for functions that get only a store. */
  readonly environment?: Environment | undefined
  /** Below this position, the next page is read while the caller handles the current one. */
  readonly readAheadTo?: Position
}

/**
 * Reads the log of `store` above the position `after`, page by page, until there are no more events. Lets other work
 * run between full pages.
 *
 * @throws Fault when the store fails, or as soon as `signal` aborts
 */
export async function* logPages(
  store: Pick<EventStore, 'readAll'>,
  after: Position,
  { size = 1_000, signal, readAheadTo = 0n, environment = systemEnvironment }: LogReading,
): AsyncGenerator<LogPage, void, void> {
  const read = (above: Position) => callPort(() => store.readAll(above, size), signal)
  const readAhead = (above: Position) => {
    const needed = new AbortController()
    const events = environment.sleep(READ_AHEAD_DELAY_MS, needed.signal).then(() => read(above))
    // It may never be needed; its failure must then not be an unhandled rejection.
    events.catch(() => undefined)
    return { events, needed }
  }
  let position = after
  let ahead: ReturnType<typeof readAhead> | undefined
  let sinceYield = 0
  for (;;) {
    ahead?.needed.abort()
    const events = await (ahead?.events ?? read(position))
    const last = events.at(-1)
    if (last === undefined) return
    position = last.position
    ahead = position < readAheadTo ? readAhead(position) : undefined
    yield { events, position }
    sinceYield += events.length
    if (sinceYield < size) continue
    sinceYield = 0
    await environment.yield()
  }
}

/**
 * Delay before the next page is read while the current one is handled, in milliseconds. Without it, the bytes of the
 * next page would arrive before the first query of a projection, and hold it up.
 */
const READ_AHEAD_DELAY_MS = 2

/** The progress of reading a log, after each page. */
export interface VerifyProgress {
  /** Events verified so far; of a copy, events copied or verified in this phase. */
  readonly done: number
  /** Position of the last of them. */
  readonly position: Position
}

/** Checks of the options of every function that reads a log. */
export const LOG_OPTIONS = { onProgress: FUNCTION, signal: SIGNAL }

/** Longest wait before the next read of a store that gives hints, and of one that does not, in milliseconds. */
const WITH_HINTS_MS = 1_000
const WITHOUT_HINTS_MS = 100

/** Lets one follower wait for new events in a store. */
export type AppendSignal = ReturnType<typeof appendSignal>

/** @see AppendSignal. @param longestWait - in milliseconds, where a store is to be read more often */
export const appendSignal = (
  {
    store,
    environment,
  }: Pick<Host, 'environment'> & { readonly store: Pick<EventStore, 'onAppend'> },
  longestWait = Number.POSITIVE_INFINITY,
) => {
  let hints = 0
  let wake = (): void => undefined
  const hint = () => {
    hints++
    wake()
  }
  const end = store.onAppend?.(hint)
  const longest = Math.min(longestWait, end ? WITH_HINTS_MS : WITHOUT_HINTS_MS)
  return {
    /** Ends the wait, as the store does when it has added events. */
    hint,
    /** Number of hints so far. Read it before the store, so that `wait` misses none. */
    count: (): number => hints,
    /** Waits for a hint after the first `seen`, for a limited time, or until `signal` aborts. One wait at a time. */
    wait: async (seen: number, signal: AbortSignal | undefined): Promise<void> => {
      if (hints > seen || signal?.aborted) return
      const waiting = wakeableSleep(environment)
      wake = waiting.wake
      signal?.addEventListener('abort', wake)
      await waiting.sleep(longest)
      signal?.removeEventListener('abort', wake)
    },
    /** Stops listening to the store. */
    end: (): void => end?.(),
  }
}
