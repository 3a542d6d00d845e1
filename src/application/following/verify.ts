import { err, ok, type Result, ResultAsync } from 'neverthrow'
import { checkOptions, OBJECT, type OptionCheck, withMethods } from '../../check-options.js'
import { sealedSecretIn } from '../../domain/identity-provider/aggregate.js'
import { type StreamId, unstorable } from '../../domain/values.js'
import {
  type EventRestore,
  type EventStore,
  outcomeOf,
  type Position,
  type RecordedEvent,
  type Version,
} from '../../ports/event-store.js'
import { type CorruptEvent, corruptEvent, type KnownEvent } from '../../ports/known-event.js'
import type { SecretCipher } from '../../ports/secret-cipher.js'
import type { ListedCursors, WebhookCursors } from '../../ports/webhook-cursors.js'
import { organizationIn, readBatch, readEvent } from '../../projections/read-events.js'
import type { DifferentLog, LogFault, SealBroken } from '../errors/errors.js'
import { catchFaults, Fault, unavailable } from '../errors/fault.js'
import { callPort, fromPort, raceAbort } from '../waiting.js'
import { LOG_OPTIONS, logPages, type VerifyProgress } from './log-pages.js'

/** Options of {@link verify}. */
export interface VerifyOptions {
  /** If given, every secret must decrypt, so it needs old keys too. */
  readonly secrets?: SecretCipher | undefined
  /** Notes of `logCheckpoint`, each signed by one of `keys`, that the log must still match. */
  readonly checkpoints?: readonly string[] | undefined
  /** Trusted verifier keys. */
  readonly keys?: readonly string[] | undefined
  /** Called after each batch. If it throws, the call rejects with the error. */
  readonly onProgress?: ((progress: VerifyProgress) => void) | undefined
  /** Ends the verification at once, even while the store does not respond. */
  readonly signal?: AbortSignal | undefined
}

/** A log without a fault. */
export interface Verified {
  /** Number of events. */
  readonly events: number
  /** Position of the last event; `0n` for an empty log. */
  readonly position: Position
}

/**
 * Reads the whole log and checks everything that the library relies on: positions rise, versions count from 1 in each
 * stream, types and data have a shape that some version of the library writes, each event is in the stream of its
 * object, every store can keep the text, and, with `secrets`, every secret decrypts. Keeps one number for each stream
 * in memory.
 *
 * With `checkpoints`, any event that was changed, removed, inserted, moved or cut off before one of them is found as
 * `LogChanged`; events cut off after the last checkpoint are not detected.
 *
 * @returns as an error: the first fault, with its position; InvalidArgument for a checkpoint or a key
 * @throws TypeError when an option is unknown or of a wrong type
 */
export const verify = (
  store: EventStore,
  options: VerifyOptions = {},
): ResultAsync<Verified, LogFault> => {
  checkOptions('verify', options, {
    optional: { ...LOG_OPTIONS, secrets: SECRETS, checkpoints: LIST, keys: LIST },
  })
  return new ResultAsync(catchFaults(() => walk(store, options)))
}

const LIST: OptionCheck = [Array.isArray, 'must be a list']

/** A cipher that decrypts secrets. */
const SECRETS = withMethods(['open'], 'must be a SecretCipher')

const walk = async (
  store: EventStore,
  { secrets, checkpoints = [], keys = [], onProgress, signal }: VerifyOptions,
): Promise<Result<Verified, LogFault>> => {
  // Loaded here, because most hosts never verify a log.
  const { evidenceCheck } = await import('../evidence/checkpoint.js')
  const evidence = await evidenceCheck(checkpoints, keys)
  if (evidence.isErr()) return err(evidence.error)
  const read = orderedReader()
  let done = 0
  let last: Position = 0n
  for await (const { events, position } of logPages(store, 0n, { signal })) {
    for (const recorded of events) {
      const event = read(recorded)
      if (event.isErr()) return err(event.error)
      const fault =
        evidence.value.add(recorded) ??
        unstorableText(event.value) ??
        (secrets && (await brokenSeal(secrets, event.value, signal)))
      if (fault) return err(fault)
    }
    done += events.length
    last = position
    onProgress?.({ done, position })
  }
  const changed = evidence.value.end()
  return changed ? err(changed) : ok({ events: done, position: last })
}

/** Reads one event after another, and checks the order of positions and versions. */
const orderedReader = (): ((recorded: RecordedEvent) => Result<KnownEvent, LogFault>) => {
  const versions = new Map<StreamId, Version>()
  let previous: Position = 0n
  return (recorded) => {
    const { position, stream, version } = recorded
    if (position <= previous) return err({ kind: 'PositionOutOfOrder', position, previous })
    const expected = (versions.get(stream) ?? 0) + 1
    if (version !== expected)
      return err({ kind: 'VersionOutOfOrder', position, stream, version, expected })
    previous = position
    versions.set(stream, version)
    return readEvent(recorded)
  }
}

/** Text that PostgreSQL cannot store: every catch-up there would stop at the event. */
const unstorableText = (event: KnownEvent): CorruptEvent | undefined => {
  const field = unstorableIn(event.data, 'data') ?? unstorableIn(event.metadata, 'metadata')
  return field === undefined ? undefined : corruptEvent(event, field)
}

/** The path of the first such text in `value`. */
const unstorableIn = (value: unknown, path: string): string | undefined => {
  if (typeof value === 'string') return unstorable(value) === undefined ? undefined : path
  if (typeof value !== 'object' || value === null) return undefined
  for (const [key, part] of Object.entries(value)) {
    const found = unstorableIn(part, Array.isArray(value) ? path : `${path}.${key}`)
    if (found !== undefined) return found
  }
  return undefined
}

/** The fault if the event's secret does not decrypt; undefined if it does, or without a secret. */
export const brokenSeal = async (
  secrets: SecretCipher,
  event: KnownEvent,
  signal: AbortSignal | undefined,
): Promise<SealBroken | undefined> => {
  const sealed = sealedSecretIn(event)
  if (sealed === undefined) return undefined
  const { position, stream } = event
  const owner = { orgId: organizationIn(stream), idpId: sealed.idpId }
  const opened = await callPort(() => secrets.open(sealed.clientSecret, owner), signal)
  return opened.isErr() ? { kind: 'SealBroken', position, stream, cause: opened.error } : undefined
}

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
  const webhooks = cursors && {
    to: cursors.to,
    states: await callPort(() => statesIn(cursors.from), signal),
  }
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
  if (!webhooks) return ok(copy)
  return ok({
    ...copy,
    cursors: await callPort(() => writeStates(webhooks.to, webhooks.states), signal),
  })
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
