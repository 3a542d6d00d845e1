import { err, ok, type Result } from 'neverthrow'
import type { EventCount, EventStore, Position, RecordedEvent } from '../../ports/event-store.js'
import type { KnownEvent, UnreadableEvent } from '../../ports/known-event.js'
import type { Projection } from '../../ports/projection.js'
import { type ReadBatch, readBatch } from '../../projections/read-events.js'
import type { ProjectionFailed, ReadError } from '../errors/errors.js'
import { catchFaults, Fault, isBug, isTransientFault, unavailable } from '../errors/fault.js'
import { type Observed, reportCatchUp, reportFault } from '../hooks.js'
import { callPort, fromPort, growingPauses, raceAbort, within } from '../waiting.js'
import { type AppendSignal, appendSignal, logPages } from './log-pages.js'

/** Options of a catch-up. */
export interface CatchUpOptions {
  /** Ends the catch-up after the batch that is being applied. */
  readonly signal?: AbortSignal | undefined
  /** Called after each batch. If it throws, the call rejects with the error. */
  readonly onProgress?: ((progress: Progress) => void) | undefined
}

/** The progress of a catch-up, after each batch. */
export interface Progress {
  /** Events that this process has applied since the catch-up began. */
  readonly done: number
  /** Events to apply when the catch-up began; absent if the store cannot count them. */
  readonly total?: number
  /** Position of the last event applied. */
  readonly position: Position
  /** Position of the last event in the store when the catch-up began. */
  readonly head: Position
  /** Events per second. */
  readonly rate: number
}

/** Longest wait for the last checkpoint of a projection after an abort, in milliseconds. */
const CHECKPOINT_TIMEOUT_MS = 1_000

/** What a follower reads of a store. */
export type FollowedLog = Pick<EventStore, 'lastPosition' | 'readAll' | 'onAppend'> &
  Partial<EventCount>

/** Further options of {@link run} for followers within the library. */
interface FollowOptions {
  /** Reported to hooks. */
  readonly method?: string
  /** The signal of new events; `run` ends it. */
  readonly appends?: AppendSignal
  /** Longest wait for a read of the head, in milliseconds; a slower one may have lost its connection. */
  readonly longestPoll?: number
  /** Whether it also retries after errors that a retry rarely mends. Default: it returns them. */
  readonly retriesAll?: boolean
  /** Called after each read of the head, with the elapsed time when it began. */
  readonly onPoll?: (outcome: Result<Position, ReadError>, begin: number) => void
}

/**
 * Keeps `projection` up to date until `signal` aborts; waits while the store or the projection is unavailable.
 *
 * @returns the checkpoint reached; or, as errors: why it cannot continue, or `Cancelled` if the projection does not
 *   respond after the abort
 */
export const run = async (
  store: FollowedLog,
  projection: Projection,
  options: CatchUpOptions & Observed & FollowOptions,
): Promise<Result<Position, ReadError>> => {
  const { signal, hooks, environment, method = 'run', longestPoll, onPoll, retriesAll } = options
  const { appends = appendSignal({ store, environment }) } = options
  const pauses = growingPauses(environment)
  /** A slow read that makes progress: a second one beside it would read the same events again. */
  let slow: Poll | undefined
  /** Reads that made no progress in time. They may still make some, so they end only when there is progress again. */
  let late: readonly Poll[] = []
  const endLate = (): void => {
    for (const poll of late) poll.end()
    late = []
  }
  try {
    while (!signal?.aborted) {
      const seen = appends.count()
      const poll = slow ?? pollOf(store, projection, options)
      const from = longestPoll && (await positionOf(projection))
      const caughtUp = await (longestPoll
        ? catchFaults(() => within(environment, longestPoll, poll.caughtUp))
        : poll.caughtUp)
      onPoll?.(caughtUp, poll.begin)
      if (caughtUp.isErr()) {
        reportFault(hooks, method, caughtUp.error)
        if (!retriesAll && !isWorthRetrying(caughtUp.error)) return caughtUp
        slow = !poll.isDone && (await positionOf(projection)) !== from ? poll : undefined
        if (slow) endLate()
        else {
          if (!poll.isDone) late = [...late, poll]
          await pauses.next(signal)
        }
      } else {
        endLate()
        pauses.reset()
        // The head that a slow read found may be outdated.
        if (!slow) await appends.wait(seen, signal)
        slow = undefined
      }
    }
  } finally {
    appends.end()
  }
  const cancelled = () => new Fault({ kind: 'Cancelled' })
  return catchFaults(async () =>
    ok(await within(environment, CHECKPOINT_TIMEOUT_MS, checkpointOf(projection), cancelled)),
  )
}

/** A catch-up to the head of the log, and when it began. */
interface Poll {
  readonly begin: number
  readonly caughtUp: ReturnType<typeof catchUpToHead>
  /** Ends it as an abort does. */
  readonly end: () => void
  isDone: boolean
}

const pollOf = (
  store: FollowedLog,
  projection: Projection,
  options: CatchUpOptions & Observed,
): Poll => {
  const { signal, environment } = options
  const ending = new AbortController()
  const end = (): void => ending.abort()
  signal?.addEventListener('abort', end)
  const begin = environment.elapsed()
  const caughtUp = catchUpToHead(store, projection, { ...options, signal: ending.signal })
  const poll: Poll = {
    begin,
    caughtUp: caughtUp.finally(() => {
      signal?.removeEventListener('abort', end)
      poll.isDone = true
    }),
    end,
    isDone: false,
  }
  return poll
}

/** The checkpoint of `projection`; undefined while it cannot be read. */
const positionOf = (projection: Projection): Promise<Position | undefined> =>
  checkpointOf(projection).catch(() => undefined)

/** Whether a store or a projection that failed may work later. */
export const isWorthRetrying = (error: ReadError): boolean =>
  error.kind === 'Cancelled' || (error.kind === 'Unavailable' && !isBug(error.cause))

/** Applies the events that are in the store now to `projection`. */
export const catchUpToHead = (
  store: FollowedLog,
  projection: Projection,
  options: CatchUpOptions & Observed,
): Promise<Result<Position, ReadError>> =>
  catchFaults(async () => {
    const head = await callPort(() => store.lastPosition(), options.signal)
    return catchUp(store, projection, { ...options, head })
  })

/** Most events that are read and applied at once, unless the projection says less. */
const BATCH_SIZE = 2_000

/** How often in a row the checkpoint may stay the same: the projection may have been reset meanwhile. */
const MAX_STUCK = 1

interface Range {
  readonly head: Position
  /** The checkpoint; read from the projection when absent. */
  readonly from?: Position
  /** Whether the result of `apply` is enough to know the new checkpoint; otherwise it is read again. */
  readonly isTrusted?: boolean
}

/** Why a projection stopped right before an event. */
type CatchUpRefusal = UnreadableEvent | ProjectionFailed

/**
 * Applies every event up to `head` that `projection` has not seen, and later ones that were read with them. Several
 * processes may do so at the same time: every event is applied once.
 *
 * @returns the checkpoint reached
 * @throws Fault when a port fails, or `signal` aborts
 */
export const catchUp = async (
  store: FollowedLog,
  projection: Projection,
  options: CatchUpOptions & Observed & Range,
): Promise<Result<Position, CatchUpRefusal>> => {
  const { head, isTrusted, signal, hooks, environment } = options
  const reached = () => raceAbort(checkpointOf(projection), signal)
  const size = Math.min(projection.batchSize ?? BATCH_SIZE, BATCH_SIZE)
  const pagesAfter = (position: Position) =>
    logPages(store, position, { size, signal, environment, readAheadTo: head })
  let position = options.from ?? (await reached())
  if (position > head) await requireInLog(store, position, signal)
  const report = await raceAbort(reporter(store, position, options), signal)
  let pages = pagesAfter(position)
  let read = position
  let stuck = 0
  while (position < head) {
    // Another process applied events too, or the projection was reset, or refused a part of the page.
    if (read !== position) pages = pagesAfter(position)
    const from = position
    const { value: page } = await pages.next()
    const first = page?.events[0]
    if (!first) break
    const { events } = page
    read = page.position
    const begin = environment.elapsed()
    const batch = readBatch(events)
    if (events.length === size) await environment.yield()
    const { applied, refusal } = await applyReadable(projection, from, batch)
    if (refusal && applied === 0) return err(refusal)
    reportCatchUp({ hooks, environment }, projection, { first, events: applied, begin })
    position = isTrusted && applied === events.length ? read : await reached()
    report?.(position, applied)
    if (refusal) return err(refusal)
    stuck = position === from ? stuck + 1 : 0
    if (stuck > MAX_STUCK) {
      const cause = new Error('The projection did not move its checkpoint')
      if (applied === 0) throw unavailable(cause, 'not_recorded')
      return err(projectionFailed(projection, first, cause))
    }
  }
  return ok(position)
}

/** @throws Fault when the log ends below a checkpoint: see {@link aheadOfLog} */
export const requireInLog = async (
  store: Pick<EventStore, 'lastPosition'>,
  reached: Position,
  signal: AbortSignal | undefined,
): Promise<void> => {
  if (reached > (await callPort(() => store.lastPosition(), signal))) throw aheadOfLog()
}

/** An older log was restored: what was applied may not be in it. */
export const aheadOfLog = (): Fault =>
  unavailable(
    new Error(
      'The checkpoint is above the last event, as after a restore of an older log: rebuild',
    ),
    'not_recorded',
  )

/** Calls `onProgress` with the events applied so far. */
const reporter = async (
  store: FollowedLog,
  after: Position,
  { onProgress, head, environment }: CatchUpOptions & Observed & Range,
) => {
  if (!onProgress) return undefined
  const total = await fromPort(() => store.countAfter?.(after))
  const counted = total !== undefined && { total }
  const begin = environment.now()
  let done = 0
  return (position: Position, applied: number): void => {
    done += applied
    const rate = (done * 1000) / Math.max(1, environment.now() - begin)
    onProgress({ done, position, head, rate, ...counted })
  }
}

/**
 * The checkpoint of `projection`.
 *
 * @throws Fault also when it is not a position: comparing it with the head would then say that it is up to date
 */
export const checkpointOf = async (
  projection: Pick<Projection, 'checkpoint'>,
): Promise<Position> => {
  try {
    const position: unknown = await projection.checkpoint()
    if (typeof position === 'bigint') return position
    throw new TypeError('A checkpoint must be a bigint')
  } catch (cause) {
    throw unavailable(cause, 'not_recorded')
  }
}

/** The result of applying a batch of events. */
interface ApplyResult {
  /** Number of events applied; less than given when another process was faster. */
  readonly applied: number
  /** The error of the next event, if it could not be applied. */
  readonly refusal?: CatchUpRefusal
}

/**
 * Applies the events before the first that cannot be read. After an error they are applied one by one, to find the one
 * that the projection refuses.
 *
 * @throws Fault when the projection is unavailable
 */
const applyReadable = async (
  projection: Projection,
  from: Position,
  { known, unreadable }: ReadBatch,
): Promise<ApplyResult> => {
  const isApplied = known.length > 0 ? await attempt(projection, from, known) : ok(false)
  const result = isApplied.isOk()
    ? { applied: isApplied.value ? known.length : 0 }
    : await applyOneByOne(projection, from, known)
  return unreadable && result.applied === known.length ? { ...result, refusal: unreadable } : result
}

const applyOneByOne = async (
  projection: Projection,
  from: Position,
  events: readonly KnownEvent[],
): Promise<ApplyResult> => {
  let position = from
  for (const [applied, event] of events.entries()) {
    const isApplied = await attempt(projection, position, [event])
    if (isApplied.isErr()) {
      // Throws when the checkpoint cannot be read either: then the event is not the cause.
      await checkpointOf(projection)
      return { applied, refusal: projectionFailed(projection, event, isApplied.error) }
    }
    if (!isApplied.value) return { applied }
    position = event.position
  }
  return { applied: events.length }
}

/** Whether the events were applied, or the value that the projection threw. */
const attempt = async (
  projection: Projection,
  from: Position,
  events: readonly KnownEvent[],
): Promise<Result<boolean, unknown>> => {
  try {
    return ok(await projection.apply(from, events))
  } catch (cause) {
    if (isTransientFault(cause)) throw unavailable(cause, 'not_recorded')
    return err(cause)
  }
}

const projectionFailed = (
  { name }: Projection,
  { type, position }: Pick<RecordedEvent, 'type' | 'position'>,
  cause: unknown,
): ProjectionFailed => ({ kind: 'ProjectionFailed', projection: name, type, position, cause })
