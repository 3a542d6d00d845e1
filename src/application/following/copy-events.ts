import { err, ok, type Result, ResultAsync } from 'neverthrow'
import { checkOptions, OBJECT } from '../../check-options.js'
import type { EventRestore, EventStore, Position, RecordedEvent } from '../../ports/event-store.js'
import { outcomeOf } from '../../ports/event-store.js'
import type { SecretCipher } from '../../ports/secret-cipher.js'
import type { ListedCursors, WebhookCursors } from '../../ports/webhook-cursors.js'
import { readBatch } from '../../projections/read-events.js'
import type { DifferentLog, LogFault } from '../errors/errors.js'
import { catchFaults, Fault, fromPort, unavailable } from '../errors/fault.js'
import { callPort, raceAbort } from '../waiting.js'
import { LOG_OPTIONS, logPages, type VerifyProgress } from './log-pages.js'
import { SECRETS, type Verified, verify } from './verify.js'

/** The progress of a copy, after each batch. */
export interface CopyProgress extends VerifyProgress {
  /** Every event is copied, then the whole copy is verified. */
  readonly phase: 'copying' | 'verifying'
}

/** Options of {@link copyEvents}. */
export interface CopyOptions {
  /** If given, every secret in the copy must decrypt. */
  readonly secrets?: SecretCipher | undefined
  /**
   * Cursors of webhooks to copy after the log: a sender on the copy continues where the sender on `from` was when the
   * copy began. A cursor is not copied while a process uses it, so stop the senders before the last copy.
   */
  readonly cursors?:
    | {
        /** The cursors beside `from`. */
        readonly from: ListedCursors
        /** The cursors beside `to`. */
        readonly to: WebhookCursors
      }
    | undefined
  /** Called after each batch. If it throws, the call rejects with the error. */
  readonly onProgress?: ((progress: CopyProgress) => void) | undefined
  /** Ends the copy after the batch that is being recorded; the next copy continues from there. */
  readonly signal?: AbortSignal | undefined
}

/** A copy that is complete and in order. */
export interface Copied extends Verified {
  /** Events copied by this call. */
  readonly copied: number
  /** Cursors of webhooks copied by this call, if `cursors` was given. */
  readonly cursors?: number
}

/**
 * Copies every event of `from` above the last position of `to`, unchanged: with its version, its position
 * and its idempotency key. Verifies the whole copy at the end.
 *
 * A copy that was interrupted continues where it stopped. Events that `from` records meanwhile are copied
 * too; stop its writers before the last call. Without `cursors`, cursors of webhooks are not copied, and an endpoint
 * without a cursor begins at the head of the log.
 *
 * @returns as errors: a {@link DifferentLog}, with nothing copied; the first fault that `verify` finds; a
 *   `CorruptEvent` that `to` refused; or `Unavailable`, whose cause is an `InvalidRestore` when something
 *   else wrote to `to` meanwhile
 * @throws TypeError when an option is unknown or of a wrong type
 */
export const copyEvents = (
  from: EventStore,
  to: EventStore & EventRestore,
  options: CopyOptions = {},
): ResultAsync<Copied, DifferentLog | LogFault> => {
  checkOptions('copyEvents', options, {
    optional: { ...LOG_OPTIONS, secrets: SECRETS, cursors: OBJECT },
  })
  return new ResultAsync(catchFaults(() => copy(from, to, options)))
}

const copy = async (
  from: EventStore,
  to: EventStore & EventRestore,
  { secrets, cursors, onProgress, signal }: CopyOptions,
): Promise<Result<Copied, DifferentLog | LogFault>> => {
  const begin = await callPort(() => to.lastPosition(), signal)
  if (begin > 0n && !(await raceAbort(isSameEvent(from, to, begin), signal)))
    return err({ kind: 'DifferentLog', position: begin })
  // Before the log, so that it has every event that a cursor has passed.
  const states = cursors ? await callPort(() => statesIn(cursors.from), signal) : []
  let copied = 0
  for await (const { events, position } of logPages(from, begin, { signal })) {
    await restore(to, events)
    copied += events.length
    onProgress?.({ phase: 'copying', done: copied, position })
  }
  const verified = await verify(to, {
    secrets,
    signal,
    onProgress: onProgress && ((progress) => onProgress({ phase: 'verifying', ...progress })),
  })
  if (verified.isErr()) return err(verified.error)
  const copy = { copied, ...verified.value }
  if (!cursors) return ok(copy)
  return ok({ ...copy, cursors: await callPort(() => writeStates(cursors.to, states), signal) })
}

type State = readonly [endpoint: string, state: string]

/** The states of all endpoints. */
const statesIn = async (cursors: ListedCursors): Promise<readonly State[]> => {
  const states: State[] = []
  for (const endpoint of await cursors.endpoints()) {
    const { state } = await cursors.read(endpoint)
    if (state !== undefined) states.push([endpoint, state])
  }
  return states
}

/** Writes states that are not there yet, unless a process uses the cursor. @returns how many were written */
const writeStates = async (cursors: WebhookCursors, states: readonly State[]): Promise<number> => {
  let written = 0
  for (const [endpoint, state] of states) {
    const { version, lease, state: known } = await cursors.read(endpoint)
    const isNew = known !== state && lease === undefined
    if (isNew && (await cursors.write(endpoint, { state, version }))) written++
  }
  return written
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
  const fields = ['position', 'appendId', 'stream', 'version'] as const
  return found !== undefined && fields.every((field) => found[field] === expected?.[field])
}
