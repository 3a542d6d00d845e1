import { err, ok, type Result } from 'neverthrow'
import type { RecordedEvent, StreamWrite } from '../../ports/event-store.js'
import type { WriteError } from '../errors/errors.js'
import type { AdmittedCall } from '../method/context.js'
import type { Runtime } from '../runtime.js'
import { pause, raceAbort, retryDeadline } from '../waiting.js'
import { append, type Recorded } from './append.js'
import type { Ledger } from './ledger.js'
import type { Lock } from './lock.js'
import type { Marks } from './metadata.js'
import type { AnySnapshot, StreamRecord } from './snapshot.js'
import { CallView, type View } from './view.js'

/** Races that are lost before what a decision reads is locked, too. */
const GUARD_LOCK_AFTER = 3

/** What a decision comes to. */
export interface Decision {
  /** At most one for each stream. Nothing is recorded when none has events. */
  readonly records: readonly StreamRecord[]
}

/** A decision that was recorded, or that records nothing. */
export interface Settled<Decided extends Decision> {
  readonly decided: Decided
  /** What was recorded. */
  readonly events: readonly RecordedEvent[]
  /** The streams of its records, in their order, after that. */
  readonly snapshots: readonly AnySnapshot[]
}

/** A decision to record, and what to answer then. */
export interface Transaction<Decided extends Decision, Answer> {
  /** Pure: it is taken again whenever the streams that it looks at turn out to be different. */
  readonly decide: (view: View) => Result<Decided, WriteError>
  readonly answer: (settled: Settled<Decided>) => Answer
  readonly marks?: Marks | undefined
  /** Tells the command from others under its idempotency key; absent without a key. */
  readonly commandHash?: () => Promise<string>
  /** The answer to the same command when it was recorded before; `isUsed` when its key certainly was. */
  readonly earlier?: (isUsed: boolean) => Promise<Result<Answer, WriteError> | undefined>
}

/**
 * Takes a decision to its end: loads what is not remembered, decides, appends on condition that what was
 * read has not changed, and decides anew after a lost race. Nothing else records events.
 *
 * What is remembered may be out of date. An append on it can only lose the race; a refusal, a decision that
 * changes nothing and a dry run are taken again on what the store has before they are answered.
 */
export const transact = async <Decided extends Decision, Answer>(
  runtime: Runtime,
  call: AdmittedCall,
  transaction: Transaction<Decided, Answer>,
): Promise<Result<Answer, WriteError>> => {
  const { ledger } = runtime
  const { observer, signal } = call
  const view = new CallView(ledger, call.orgId)
  let lock: Lock | undefined
  let isTooLate: (() => boolean) | undefined
  let lost = 0
  let announced = 0
  try {
    for (;;) {
      const decision = asExpected(call, view.decide(transaction.decide))
      if (view.isPartial) {
        await view.load(signal)
        continue
      }
      if (signal?.aborted) return err({ kind: 'Cancelled' })
      if (announced === lost) observer?.deciding(++announced)
      const records = decision.isOk() ? decision.value.records : NO_RECORDS

      if (decision.isErr() || call.dryRun || !records.some(hasEvents)) {
        if (view.isFresh) return await settledBefore(ledger, transaction, decision)
        await view.load(signal)
        continue
      }

      const writes = view.writesOf(records)
      const streams = toLock(writes, lost < GUARD_LOCK_AFTER ? records.length : writes.length)
      if (streams.length > 0 && !lock?.covers(streams)) {
        lock?.release()
        lock = ledger.locks.ask(streams)
        if (!lock.isHeld) {
          if (!(await lock.wait(signal))) return err({ kind: 'Cancelled' })
          view.recall()
          continue
        }
      }

      const recorded = await send(runtime, call, { transaction, writes })
      if (recorded.isOk())
        return ok(transaction.answer(settle(ledger, decision.value, recorded.value)))
      lost++
      observer?.conflicted(recorded.error.kind)
      const isRepeated = recorded.error.kind === 'IdempotencyKeyUsed'
      const earlier = isRepeated ? await transaction.earlier?.(true) : undefined
      if (earlier) return earlier
      isTooLate ??= retryDeadline()
      if (isTooLate()) return err({ kind: 'Aborted', attempts: lost })
      await pause(lost, signal)
      await view.load(signal)
    }
  } finally {
    lock?.release()
  }
}

const NO_RECORDS: readonly StreamRecord[] = []

const hasEvents = ({ events }: StreamRecord): boolean => events.length > 0

/** Refuses a change of an object that is not at the sequence that the caller expects. */
const asExpected = <Decided extends Decision>(
  { expectedSequence: expected }: AdmittedCall,
  decision: Result<Decided, WriteError>,
): Result<Decided, WriteError> => {
  if (expected === undefined || decision.isErr()) return decision
  const actual = decision.value.records.at(-1)?.before.changed ?? 0n
  return expected === actual ? decision : err({ kind: 'SequenceMismatch', expected, actual })
}

/** Of the first `most`, the streams that exist: the others can only be created, and versions decide. */
const toLock = (writes: readonly StreamWrite[], most: number) =>
  writes
    .filter(({ expectedVersion }, index) => expectedVersion > 0 && index < most)
    .map(({ stream }) => stream)

/** The answer of a decision that records nothing. */
const settledBefore = async <Decided extends Decision, Answer>(
  ledger: Ledger,
  { earlier, answer }: Transaction<Decided, Answer>,
  decision: Result<Decided, WriteError>,
): Promise<Result<Answer, WriteError>> =>
  (await earlier?.(false)) ?? decision.map((decided) => answer(settle(ledger, decided, [])))

const send = (
  { store, newId, metadataOf }: Runtime,
  call: AdmittedCall,
  {
    transaction: { marks, commandHash },
    writes,
  }: {
    readonly transaction: Pick<Transaction<Decision, unknown>, 'marks' | 'commandHash'>
    readonly writes: readonly StreamWrite[]
  },
): Promise<Recorded> => {
  const appendWith = (hash?: string) =>
    append(store, { id: newId(), writes, metadata: metadataOf(call, marks, hash) }, call.observer)
  return commandHash ? raceAbort(commandHash(), call.signal).then(appendWith) : appendWith()
}

/** Remembers what was recorded of a decision. */
const settle = <Decided extends Decision>(
  ledger: Ledger,
  decided: Decided,
  events: readonly RecordedEvent[],
): Settled<Decided> => {
  let from = 0
  const snapshots = decided.records.map((written) => {
    if (events.length === 0 || !hasEvents(written)) return written.before
    const snapshot = written.after(events, from)
    from += written.events.length
    // A stream just created is not kept: most are not used again, and would replace others.
    if (written.before.version > 0) ledger.remember(snapshot)
    return snapshot
  })
  return { decided, events, snapshots }
}
