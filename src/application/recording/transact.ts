import { err, ok, type Result } from 'neverthrow'
import {
  type Append,
  type EventStore,
  type IdempotencyKeyUsed,
  InTransactionFailed,
  outcomeOf,
  type RecordedEvent,
  type StreamWrite,
  type VersionConflict,
} from '../../ports/event-store.js'
import { aggregateOf } from '../../projections/read-events.js'
import { invalid, type Protected, type WriteError } from '../errors/errors.js'
import { Fault, unavailable } from '../errors/fault.js'
import type { Observer } from '../hooks.js'
import type { AdmittedCall } from '../method/context.js'
import type { Runtime } from '../runtime.js'
import { awaitFollowers, pause, retryDeadline } from '../waiting.js'
import type { Lock } from './locks.js'
import type { StateCache } from './state-cache.js'
import { type AnyStreamState, type Marks, managerOf, type StreamChange } from './stream-state.js'
import { CallStreams, withinLimits } from './streams.js'

/** After this many lost races, streams that a decision only reads are locked too. */
const LOCK_GUARDS_AFTER = 3

/** The result of a decision. */
export interface Decision {
  /** At most one for each stream. Nothing is recorded when none has events. */
  readonly changes: readonly StreamChange[]
}

/** A decision that was recorded, or that records nothing. */
export interface Applied<Decided extends Decision> {
  readonly decided: Decided
  readonly events: readonly RecordedEvent[]
  /** The streams of its changes, in their order, after the events. */
  readonly streams: readonly AnyStreamState[]
}

/** A decision to record, and the outcome to return. */
export interface Transaction<Decided extends Decision, Answer> {
  /** Changes nothing itself: it is called again whenever a stream that it read turns out to be different. */
  readonly decide: (streams: CallStreams) => Promise<Result<Decided, WriteError>>
  readonly answer: (applied: Applied<Decided>) => Answer
  readonly marks?: Marks | undefined
  /** Whether it may change protected objects, because its events leave them as they are shown. */
  readonly isUpkeep?: boolean
  /** Tells the command from others under its idempotency key; absent without a key. */
  readonly commandHash?: () => string
  /** Returns the outcome of the same command if it was recorded before; `isUsed` when its key was certainly used. */
  readonly earlier?: (isUsed: boolean) => Promise<Result<Answer, WriteError> | undefined>
}

/**
 * Makes a decision, records its events on condition that nothing it read has changed, and decides again after a lost
 * race. Nothing else records events.
 *
 * A cached state may be out of date. An append that relies on it can only lose the race; a refusal, or a decision that
 * changes nothing, is returned only once all that it read is known to have been so at one moment of the call.
 */
export const transact = async <Decided extends Decision, Answer>(
  runtime: Runtime,
  call: AdmittedCall,
  { decide, answer, marks, isUpkeep = false, commandHash, earlier }: Transaction<Decided, Answer>,
): Promise<Result<Answer, WriteError>> => {
  const { states, locks, newId, metadataOf, environment, delegations } = runtime
  const { observer, signal, inTransaction } = call
  const decideWithin = withinLimits(delegations.get(call.caller), decide)
  const streams = new CallStreams(states, call)
  let lock: Lock | undefined
  let isTooLate: (() => boolean) | undefined
  let lost = 0
  let announced = 0
  try {
    for (;;) {
      // 1. Decide; reads load what is not cached. A decision that saw a stream in two states is made again.
      const expected = asExpected(call, await streams.decide(decideWithin))
      const decision = isUpkeep ? expected : unprotected(marks, expected)
      if (signal?.aborted) return err({ kind: 'Cancelled' })
      if (streams.isMixed) continue
      if (announced === lost) observer?.deciding(++announced)

      // 2. Nothing to record: return, if the decision was made on what the store has.
      const isWithoutEvents = decision.isOk() && !decision.value.changes.some(hasEvents)
      if (decision.isErr() || (isWithoutEvents && !inTransaction)) {
        if (!(await streams.confirm())) {
          isTooLate ??= retryDeadline(environment)
          if (isTooLate()) return err({ kind: 'Aborted', attempts: lost })
          continue
        }
        const before = await earlier?.(false)
        if (before) return before
        if (decision.isErr()) return err(decision.error)
        lock?.release()
        await awaitFollowers(runtime, streams.lastRead)
        return ok(answer(applied(states, decision.value, [])))
      }
      // A repeat does not write the rows of the host again.
      const repeated = inTransaction && (await earlier?.(false))
      if (repeated) return repeated

      // 3. Wait for other calls of this process that change the same streams, then decide on what they have left.
      const { changes } = decision.value
      const writes = streams.writesOf(changes)
      const toLock = existing(lost < LOCK_GUARDS_AFTER ? writes.slice(0, changes.length) : writes)
      if (!lock?.includes(toLock)) {
        lock?.release()
        lock = locks.ask(toLock)
        if (!lock.isHeld) {
          isTooLate ??= retryDeadline(environment)
          if (!(await lock.wait(signal))) return err({ kind: 'Cancelled' })
          streams.adoptCached()
          continue
        }
      }

      // 4. Append, on condition that every stream is at the version that was read.
      const hash = commandHash?.()
      const metadata = metadataOf(call, marks, hash)
      const append = { id: newId(), writes, metadata, ...(inTransaction && { inTransaction }) }
      const recorded = await appendOnce(runtime, append, observer)
      if (recorded.isOk()) {
        const done = ok(answer(applied(states, decision.value, recorded.value)))
        const last = recorded.value.at(-1)
        lock.release()
        await awaitFollowers(runtime, last?.position ?? streams.lastRead)
        return done
      }
      if (recorded.error instanceof InTransactionFailed) {
        // Perhaps because another call under the same key has written the same rows.
        const repeat = await earlier?.(false).catch(() => undefined)
        if (repeat) return repeat
        throw failureOf(recorded.error)
      }

      // 5. The race was lost. A used idempotency key has an outcome already.
      lost++
      observer?.conflicted(recorded.error.kind)
      const isKeyUsed = recorded.error.kind === 'IdempotencyKeyUsed'
      const before = isKeyUsed ? await earlier?.(true) : undefined
      if (before) return before

      // 6. Pause, then decide again on what the store has; give up after ten seconds.
      isTooLate ??= retryDeadline(environment)
      if (isTooLate()) return err({ kind: 'Aborted', attempts: lost })
      await pause(environment, lost, signal)
      await streams.reload()
    }
  } finally {
    lock?.release()
  }
}

const hasEvents = ({ events }: StreamChange): boolean => events.length > 0

/** Refuses a change of an object that is not at the sequence that the caller expects. */
export const asExpected = <Decided extends Decision>(
  { expectedSequence: expected }: AdmittedCall,
  decision: Result<Decided, WriteError>,
): Result<Decided, WriteError> => {
  if (expected === undefined || decision.isErr()) return decision
  const actual = decision.value.changes.at(-1)?.before.changed ?? 0n
  return expected === actual ? decision : err({ kind: 'SequenceMismatch', expected, actual })
}

/**
 * Refuses a change of an object that is protected by a desired state other than the one in `marks`, and one under a name
 * of an object that another name manages.
 */
export const unprotected = <Decided extends Decision>(
  marks: Marks | undefined,
  decision: Result<Decided, WriteError>,
): Result<Decided, WriteError> => {
  const changes = decision.isOk() ? decision.value.changes : []
  for (const { before, events } of changes) {
    const own = marks?.managedBy
    const managedBy = before.protectedBy ?? (own === undefined ? undefined : managerOf(before))
    const [event] = events
    if (event && managedBy !== undefined && managedBy !== own) {
      const refusal: Protected = { kind: 'Protected', managedBy }
      const object = aggregateOf(event.type).ref(event.data)
      return err(Object.defineProperty(refusal, 'object', { value: object }))
    }
  }
  return decision
}

/** The streams that have events: nobody waits to create a stream, since versions decide who does. */
const existing = (writes: readonly StreamWrite[]) =>
  writes.filter(({ expectedVersion }) => expectedVersion > 0).map(({ stream }) => stream)

/** The outcome of a recorded decision; caches its streams. */
const applied = <Decided extends Decision>(
  states: StateCache,
  decided: Decided,
  events: readonly RecordedEvent[],
): Applied<Decided> => {
  let from = 0
  const streams = decided.changes.map((change) => {
    if (!hasEvents(change)) return change.before
    const after = change.after(events, from)
    from += change.events.length
    // A stream that was just created is not cached: most are not used again, and would replace others.
    if (change.before.version > 0) states.set(after)
    return after
  })
  return { decided, events, streams }
}

/**
 * The recorded events, or why nothing was recorded: another writer was faster, the key was used before, or the function of
 * the host failed.
 */
type Recorded = Result<
  readonly RecordedEvent[],
  VersionConflict | IdempotencyKeyUsed | InTransactionFailed
>

/** Appends. When the store cannot say whether it recorded the append, the log is searched for it. */
const appendOnce = async (
  { store, environment }: Runtime,
  append: Append,
  observer: Observer | undefined,
): Promise<Recorded> => {
  const begin = observer ? environment.elapsed() : 0
  let recorded: Recorded
  try {
    recorded = await store.append(append)
  } catch (cause) {
    if (cause instanceof InTransactionFailed) return err(cause)
    recorded = ok(await findAfterUnknownOutcome(store, append, cause))
  }
  if (recorded.isOk()) observer?.appended(recorded.value, begin)
  return recorded
}

/** What the function of the host threw, as it is; a fault if the store refuses the function. */
const failureOf = ({ cause, objection }: InTransactionFailed): unknown =>
  objection === undefined ? cause : new Fault(invalid('inTransaction', objection))

/** The events of an append whose outcome is unknown. @throws Fault, which says whether they may be recorded */
const findAfterUnknownOutcome = async (
  store: EventStore,
  { id }: Append,
  cause: unknown,
): Promise<readonly RecordedEvent[]> => {
  const outcome = outcomeOf(cause) ?? 'unknown'
  const fault = unavailable(cause, outcome)
  if (outcome !== 'unknown') throw fault
  try {
    const found = await store.findAppend({ id })
    if (found.length > 0) return found
  } catch {
    // The first fault is the one to report: it says that the outcome is unknown.
  }
  throw fault
}
