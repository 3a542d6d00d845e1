import { err, ok, type Result } from 'neverthrow'
import type { EventCount, EventStore, Position, RecordedEvent } from '../../ports/event-store.js'
import type { Projection } from '../../ports/projection.js'
import type { UnreadableEvent } from '../../ports/unreadable-event.js'
import { type ReadBatch, readBatch } from '../../projections/events/read-events.js'
import type { Cancelled, ProjectionFailed } from '../errors/errors.js'
import { fromPort, unavailable } from '../errors/fault.js'
import type { Hooks } from '../observing/hooks.js'
import { reportCatchUp } from '../observing/observer.js'
import { delay } from '../waiting/pause.js'
import { raceAbort } from '../waiting/race-abort.js'
import { yieldToEventLoop } from '../waiting/yield-to-event-loop.js'
import { applyReadable, projectionFailed } from './apply-readable.js'
import { checkpointOf } from './checkpoint-of.js'

/** Most events that are read and applied at once. */
const BATCH_SIZE = 2_000

/**
 * How long a projection has to itself before the next page is read beside it, in milliseconds: what comes in
 * of a page would keep waiting what the projection asks its database first, before that has anything to do.
 */
const PREFETCH_DELAY_MS = 2

/** How often in a row a checkpoint may stay where it was: somebody may just have emptied the projection. */
const MAX_STUCK = 1

/** How far a catch-up is, after each batch. */
export interface Progress {
  /** Events applied since the catch-up began, by this process. */
  readonly done: number
  /** Events there were to apply when the catch-up began; absent when the store cannot count. */
  readonly total?: number
  /** Position of the last event applied. */
  readonly position: Position
  /** Position of the last event there was when the catch-up began. */
  readonly head: Position
  /** Events per second. */
  readonly rate: number
}

/** How a projection is fed. */
export interface CatchUpOptions {
  /** Ends it; a batch that is being applied is waited for. */
  readonly signal?: AbortSignal | undefined
  /** Called after each batch; the call rejects with what it throws. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** Who watches a catch-up. */
export interface Watched {
  readonly hooks?: Hooks | undefined
}

/** From where to where a projection is fed. */
interface Range {
  readonly head: Position
  readonly from?: Position
  readonly isTrusted?: boolean
}

/** Why a projection could not be fed on; it stays right before the event in question. */
export type CatchUpRefusal = Cancelled | UnreadableEvent | ProjectionFailed

/**
 * Feeds `projection` every event up to `head` that it has not seen, or more when they are at hand.
 * Other processes may do the same at the same time: every event is applied once.
 *
 * @param from - the checkpoint; asked for when absent
 * @param isTrusted - whether a checkpoint counts as moved because `apply` says so; otherwise it is asked for
 * @returns the position it has reached
 */
export const catchUp = async (
  store: EventStore,
  projection: Projection,
  { head, from, isTrusted, signal, onProgress, hooks }: CatchUpOptions & Watched & Range,
): Promise<Result<Position, CatchUpRefusal>> => {
  const reached = () => raceAbort(checkpointOf(projection), signal)
  let position = from ?? (await reached())
  const reporting = onProgress && reporter(store, { onProgress, head, after: position })
  const report = reporting && (await raceAbort(reporting, signal))
  const readAfter = pagesOf(store, head)
  let stuck = 0
  while (position < head) {
    if (signal?.aborted) return err({ kind: 'Cancelled' })
    const from = position
    const page = await raceAbort(readAfter(from), signal)
    const { events } = page
    const [first] = events
    if (first === undefined) break
    const begin = performance.now()
    const { applied, refusal } = await applyReadable(projection, from, page)
    if (refusal && applied === 0) return err(refusal)
    reportCatchUp(hooks, projection, { first, events: applied, begin })
    const last = isTrusted && applied === events.length ? events.at(-1) : undefined
    position = last?.position ?? (await reached())
    report?.(position, applied)
    if (refusal) return err(refusal)
    stuck = position === from ? stuck + 1 : 0
    if (stuck > MAX_STUCK) {
      const cause = new Error('The projection did not move its checkpoint')
      if (applied === 0) throw unavailable(cause, 'not_recorded')
      return err(projectionFailed(projection, first, cause))
    }
    if (events.length === BATCH_SIZE) await yieldToEventLoop()
  }
  return ok(position)
}

/** Events as a store gave them out, and as many of them as can be read. */
interface LogPage extends ReadBatch {
  readonly events: readonly RecordedEvent[]
}

/** A page that is read ahead. */
interface NextPage {
  readonly after: Position
  readonly page: Promise<LogPage>
  /** Aborted when the page is asked for: it is waited for from then on. */
  readonly needed: AbortController
}

/** Reads the log page by page up to `head`: the next one while the one given out is dealt with. */
const pagesOf = (store: EventStore, head: Position) => {
  const read = async (after: Position): Promise<LogPage> => {
    const events = await fromPort(() => store.readAll(after, BATCH_SIZE))
    return { events, ...readBatch(events) }
  }
  let next: NextPage | undefined
  return async (after: Position): Promise<LogPage> => {
    next?.needed.abort()
    const page = await (next?.after === after ? next.page : read(after))
    const last = page.events.at(-1)?.position
    next = undefined
    if (last === undefined || last >= head) return page
    const needed = new AbortController()
    next = {
      after: last,
      page: delay(PREFETCH_DELAY_MS, needed.signal).then(() => read(last)),
      needed,
    }
    // Should nobody ask for it, its failure is nobody's concern.
    next.page.catch(() => undefined)
    return page
  }
}

/** Calls `onProgress` with what was done so far. */
const reporter = async (
  store: EventStore,
  {
    onProgress,
    head,
    after,
  }: {
    readonly onProgress: (progress: Progress) => void
    readonly head: Position
    readonly after: Position
  },
): Promise<(position: Position, applied: number) => void> => {
  const counted = canCount(store) && { total: await fromPort(() => store.countAfter(after)) }
  const begin = Date.now()
  let done = 0
  return (position, applied) => {
    done += applied
    const rate = (done * 1000) / Math.max(1, Date.now() - begin)
    onProgress({ done, position, head, rate, ...counted })
  }
}

const canCount = (store: EventStore & Partial<EventCount>): store is EventStore & EventCount =>
  store.countAfter !== undefined
