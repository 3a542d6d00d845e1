import { err, ok, type Result } from 'neverthrow'
import type { EventCount, EventStore, Position, RecordedEvent } from '../../ports/event-store.js'
import type { UnreadableEvent } from '../../ports/known-event.js'
import type { Projection } from '../../ports/projection.js'
import { type ReadBatch, readBatch } from '../../projections/read-events.js'
import type { IamError, ProjectionFailed } from '../errors/errors.js'
import { catchFaults, fromPort, unavailable } from '../errors/fault.js'
import { type Hooks, reportCatchUp, reportFault } from '../hooks.js'
import {
  callPort,
  delay,
  FIRST_PAUSE,
  longerPause,
  raceAbort,
  yieldToEventLoop,
} from '../waiting.js'
import { appendSignal } from './append-signal.js'
import { applyReadable, checkpointOf, projectionFailed } from './apply-readable.js'

/** Longest wait for the last checkpoint of a projection after an abort, in milliseconds. */
const CHECKPOINT_TIMEOUT_MS = 1_000

/**
 * Keeps `projection` up to date until `signal` aborts; waits while the store or the projection is unavailable.
 *
 * @returns the checkpoint reached; or, as errors: why it cannot continue, or `Cancelled` when the projection does
 *   not answer after the abort
 */
export const run = async (
  store: EventStore,
  projection: Projection,
  options: CatchUpOptions & WithHooks,
): Promise<Result<Position, IamError>> => {
  const { signal, hooks } = options
  const appends = appendSignal(store)
  let pause = FIRST_PAUSE
  try {
    while (!signal?.aborted) {
      const seen = appends.count()
      const caughtUp = await catchUpToHead(store, projection, options)
      if (caughtUp.isErr()) {
        reportFault(hooks, 'run', caughtUp.error)
        if (!isTemporary(caughtUp.error)) return caughtUp
        await delay(pause, signal)
        pause = longerPause(pause)
      } else {
        pause = FIRST_PAUSE
        await appends.wait(seen, signal)
      }
    }
  } finally {
    appends.end()
  }
  const timeout = AbortSignal.timeout(CHECKPOINT_TIMEOUT_MS)
  return catchFaults(async () => ok(await raceAbort(checkpointOf(projection), timeout)))
}

const isTemporary = ({ kind }: IamError): boolean => kind === 'Unavailable' || kind === 'Cancelled'

/** Feeds `projection` the events that are in the store now. */
export const catchUpToHead = (
  store: EventStore,
  projection: Projection,
  options: CatchUpOptions & WithHooks,
): Promise<Result<Position, IamError>> =>
  catchFaults(async () => {
    const head = await callPort(() => store.lastPosition(), options.signal)
    return catchUp(store, projection, { ...options, head })
  })

/** Most events that are read and applied at once. */
const BATCH_SIZE = 2_000

/**
 * Delay before the next page is read while a projection applies the current one, in milliseconds. Without it, the
 * bytes of the next page would arrive before the first query of the projection, and hold it up.
 */
const PREFETCH_DELAY_MS = 2

/** How often in a row the checkpoint may stay the same: the projection may have been reset meanwhile. */
const MAX_STUCK = 1

/** The progress of a catch-up, after each batch. */
export interface Progress {
  /** Events that this process has applied since the catch-up began. */
  readonly done: number
  /** Events to apply when the catch-up began; absent when the store cannot count. */
  readonly total?: number
  /** Position of the last event applied. */
  readonly position: Position
  /** Position of the last event in the store when the catch-up began. */
  readonly head: Position
  /** Events per second. */
  readonly rate: number
}

/** How a projection is fed. */
export interface CatchUpOptions {
  /** Ends the catch-up after the batch that is being applied. */
  readonly signal?: AbortSignal | undefined
  /** Called after each batch; the call rejects with what it throws. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** The hooks of the host, if any. */
export interface WithHooks {
  readonly hooks?: Hooks | undefined
}

interface Range {
  readonly head: Position
  /** The checkpoint; read from the projection when absent. */
  readonly from?: Position
  /** Whether the answer of `apply` is enough to know the new checkpoint; otherwise it is read again. */
  readonly isTrusted?: boolean
}

/** Why a projection stopped right before an event. */
type CatchUpRefusal = UnreadableEvent | ProjectionFailed

/**
 * Feeds `projection` every event up to `head` that it has not seen, and later ones that were read with them.
 * Several processes may do so at the same time: every event is applied once.
 *
 * @returns the checkpoint reached
 * @throws Fault when a port fails, or `signal` aborts
 */
export const catchUp = async (
  store: EventStore,
  projection: Projection,
  options: CatchUpOptions & WithHooks & Range,
): Promise<Result<Position, CatchUpRefusal>> => {
  const { head, isTrusted, signal, hooks } = options
  const reached = () => raceAbort(checkpointOf(projection), signal)
  let position = options.from ?? (await reached())
  const report = await raceAbort(reporter(store, position, options), signal)
  const readPage = pageReader(store, head)
  let stuck = 0
  while (position < head) {
    const from = position
    const page = await raceAbort(readPage(from), signal)
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

/** Consecutive events of the log, and those of them that can be read. */
interface LogPage extends ReadBatch {
  readonly events: readonly RecordedEvent[]
}

/** Reads the log page by page up to `head`, each page while the one before is applied. */
const pageReader = (store: EventStore, head: Position) => {
  const read = async (after: Position): Promise<LogPage> => {
    const events = await fromPort(() => store.readAll(after, BATCH_SIZE))
    return { events, ...readBatch(events) }
  }
  const prefetch = (after: Position) => {
    const needed = new AbortController()
    const page = delay(PREFETCH_DELAY_MS, needed.signal).then(() => read(after))
    // It may never be needed; its failure must then not be an unhandled rejection.
    page.catch(() => undefined)
    return { after, page, needed }
  }
  let next: ReturnType<typeof prefetch> | undefined
  return async (after: Position): Promise<LogPage> => {
    next?.needed.abort()
    const page = await (next?.after === after ? next.page : read(after))
    const last = page.events.at(-1)
    next = last && last.position < head ? prefetch(last.position) : undefined
    return page
  }
}

/** Calls `onProgress` with the events applied so far. */
const reporter = async (
  store: EventStore & Partial<EventCount>,
  after: Position,
  { onProgress, head }: CatchUpOptions & Range,
) => {
  if (!onProgress) return undefined
  const total = await fromPort(() => store.countAfter?.(after))
  const counted = total !== undefined && { total }
  const begin = Date.now()
  let done = 0
  return (position: Position, applied: number): void => {
    done += applied
    const rate = (done * 1000) / Math.max(1, Date.now() - begin)
    onProgress({ done, position, head, rate, ...counted })
  }
}
