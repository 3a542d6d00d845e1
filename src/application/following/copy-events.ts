import { err, type Result, ResultAsync } from 'neverthrow'
import type { EventRestore, EventStore, Position, RecordedEvent } from '../../ports/event-store.js'
import type { SecretCipher } from '../../ports/secret-cipher.js'
import { outcomeOf } from '../../ports/store-fault.js'
import { readBatch } from '../../projections/events/read-events.js'
import { errorOf, Fault, fromPort, unavailable } from '../errors/fault.js'
import type { DifferentLog, LogFault } from '../errors/log-fault.js'
import { raceAbort } from '../waiting/race-abort.js'
import { yieldToEventLoop } from '../waiting/yield-to-event-loop.js'
import { verify } from './verify.js'

/** Most events that are copied at once. */
const BATCH_SIZE = 1_000

/** How far a copy is, after each batch. */
export interface CopyProgress {
  /** Every event is copied, then the whole copy is verified. */
  readonly phase: 'copying' | 'verifying'
  /** Events dealt with in this phase. */
  readonly done: number
  /** Position of the last of them. */
  readonly position: Position
}

/** How a log is copied. */
export interface CopyOptions {
  /** When given, every seal in the copy must open. */
  readonly secrets?: SecretCipher | undefined
  /** Called after each batch; the call rejects with what it throws. */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined
  /** Ends it; a batch that is being recorded is waited for, and the next copy goes on from there. */
  readonly signal?: AbortSignal | undefined
}

/** A copy that is complete and in order. */
export interface Copied {
  /** Events that this call has copied. */
  readonly copied: number
  /** Events in the copy. */
  readonly events: number
  /** Position of the last of them; `0n` when there is none. */
  readonly position: Position
}

/**
 * Copies every event of `from` that lies above the last position of `to`, as it is: with its version,
 * its position and its idempotency key. Verifies the whole copy at the end.
 *
 * A copy that was interrupted goes on where it was. What `from` records meanwhile is copied too; stop
 * its writers before the last call.
 *
 * @returns why it ended early: a {@link DifferentLog}, nothing copied; what `verify` found, or a
 *   `CorruptEvent` that `to` did not take; or `Unavailable`, whose cause is an `InvalidRestore` when
 *   something else has written to `to` meanwhile
 */
export const copyEvents = (
  from: EventStore,
  to: EventStore & EventRestore,
  options: CopyOptions = {},
): ResultAsync<Copied, DifferentLog | LogFault> => new ResultAsync(copy(from, to, options))

const copy = async (
  from: EventStore,
  to: EventStore & EventRestore,
  options: CopyOptions,
): Promise<Result<Copied, DifferentLog | LogFault>> => {
  const { secrets, onProgress, signal } = options
  try {
    const asking = fromPort(() => to.lastPosition())
    const begin = await raceAbort(asking, signal)
    if (begin > 0n && !(await raceAbort(isSameEvent(from, to, begin), signal))) {
      return err({ kind: 'DifferentLog', position: begin })
    }
    let copied = 0
    let position = begin
    for (;;) {
      if (signal?.aborted) return err({ kind: 'Cancelled' })
      const after = position
      const reading = fromPort(() => from.readAll(after, BATCH_SIZE))
      const events = await raceAbort(reading, signal)
      if (events.length === 0) break
      await restore(to, events)
      copied += events.length
      position = events.at(-1)?.position ?? position
      onProgress?.({ phase: 'copying', done: copied, position })
      if (events.length === BATCH_SIZE) await yieldToEventLoop()
    }
    const verified = await verify(to, {
      secrets,
      signal,
      onProgress: onProgress && ((progress) => onProgress({ phase: 'verifying', ...progress })),
    })
    return verified.map(({ events, position }) => ({ copied, events, position }))
  } catch (thrown) {
    return err(errorOf(thrown))
  }
}

const restore = async (to: EventRestore, events: readonly RecordedEvent[]): Promise<void> => {
  try {
    await to.restore(events)
  } catch (cause) {
    const { unreadable } = readBatch(events)
    throw unreadable?.kind === 'CorruptEvent'
      ? new Fault(unreadable)
      : unavailable(cause, outcomeOf(cause) ?? 'not_recorded')
  }
}

/** Whether both logs have the same event at `position`. */
const isSameEvent = async (
  one: EventStore,
  other: EventStore,
  position: Position,
): Promise<boolean> => {
  const [found] = await fromPort(() => one.readAll(position - 1n, 1))
  const [expected] = await fromPort(() => other.readAll(position - 1n, 1))
  return (
    found?.position === expected?.position &&
    found?.appendId === expected?.appendId &&
    found?.stream === expected?.stream &&
    found?.version === expected?.version
  )
}
