import { err, ok, type Result } from 'neverthrow'
import { exists } from '../../domain/decider.js'
import type { StreamId } from '../../domain/values.js'
import type { NewEvent, RecordedEvent } from '../../ports/event-store.js'
import type { Cancelled, IamError } from '../errors/errors.js'
import { started } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import type { Outcome } from '../method/outcome.js'
import type { Runtime } from '../runtime.js'
import { pause, retryDeadline } from '../waiting/pause.js'
import { raceAbort } from '../waiting/race-abort.js'
import { earlierOutcome, outcomeOfUsedKey } from './idempotency.js'
import { advance, type LostRace, type Recorded, record } from './record.js'
import { type AnyTracked, detailsOf } from './tracked.js'
import { type Transaction, trackedIn } from './transaction.js'

/** Races that are lost before the writers of the guard in this process are made to wait. */
const GUARD_LOCK_AFTER = 3

const CANCELLED: Cancelled = { kind: 'Cancelled' }

/**
 * Takes a command to its end: reads what is not remembered, decides, appends on the versions that
 * were decided on, and decides anew after a lost race. The only way by which commands are recorded.
 *
 * What is remembered may be stale. An append on it can only lose the race; a refusal, a no-op and a
 * dry run are decided anew on what the store has, before they are returned.
 */
export const transact = <Ids>(
  runtime: Runtime,
  call: AdmittedCall,
  transaction: Transaction<Ids>,
): Promise<Result<Outcome<Ids>, IamError>> => {
  const { writes } = transaction
  if (!writes.some(mayHaveOthers)) return decideOnMemory(runtime, call, transaction)
  const streams = writes.filter(mayHaveOthers).map(({ stream }) => stream)
  const work = () => decideOnMemory(runtime, call, transaction)
  const end = () => runtime.queue.leave(streams)
  const turn = runtime.queue.enter(streams, call.signal)
  if (turn === undefined) return ended(started(work), end)
  return turn.then((isOurs) => {
    if (!isOurs) return err(CANCELLED)
    for (const tracked of trackedIn(transaction)) tracked.recall()
    return ended(started(work), end)
  })
}

/** A stream that was just made up has no others that wait for it; should it have, versions tell. */
const mayHaveOthers = ({ isKnown, snapshot }: AnyTracked): boolean =>
  !isKnown || snapshot.version > 0

/** `promise`, with `end` called once it is settled; cheaper than `finally`. */
const ended = <Value>(promise: Promise<Value>, end: () => void): Promise<Value> =>
  promise.then(
    (value) => {
      end()
      return value
    },
    (thrown: unknown) => {
      end()
      throw thrown
    },
  )

/** Decides on what is remembered, which costs no question to the store: what is read often is. */
const decideOnMemory = <Ids>(
  runtime: Runtime,
  call: AdmittedCall,
  transaction: Transaction<Ids>,
): Promise<Result<Outcome<Ids>, IamError>> => {
  if (call.dryRun) return decideOnStore(runtime, call, transaction)
  const { writes, guard } = transaction
  if (!writes.every(isKnown) || guard?.isKnown === false) {
    const unknown = trackedIn(transaction).filter((tracked) => !isKnown(tracked))
    return refresh(unknown, call).then(() => decideOnMemory(runtime, call, transaction))
  }
  if (call.signal?.aborted) return Promise.resolve(err(CANCELLED))
  call.observer?.deciding(1)
  if (changesNothing(judge(call, transaction))) return decideOnStore(runtime, call, transaction)
  const settle = (recorded: Recorded) =>
    recorded.isOk()
      ? ok(recordedOutcome(call, transaction, recorded.value))
      : decideOnStore(runtime, call, { ...transaction, lost: recorded.error })
  return record(runtime, call, { transaction, settle })
}

/** Decides on what the store has, after a first race that was `lost` or before any. */
const decideOnStore = async <Ids>(
  runtime: Runtime,
  call: AdmittedCall,
  transaction: Transaction<Ids> & { readonly lost?: LostRace },
): Promise<Result<Outcome<Ids>, IamError>> => {
  const turn: StreamId[] = []
  try {
    return await decideInTurn(runtime, call, transaction, turn)
  } finally {
    runtime.queue.leave(turn)
  }
}

/** @param turn - takes in the stream of the guard once the turn at it is asked for */
const decideInTurn = async <Ids>(
  runtime: Runtime,
  call: AdmittedCall,
  transaction: Transaction<Ids> & { readonly lost?: LostRace },
  turn: StreamId[],
): Promise<Result<Outcome<Ids>, IamError>> => {
  let { lost } = transaction
  const isTooLate = retryDeadline()
  for (let attempts = lost ? 1 : 0; ; attempts++) {
    if (lost) call.observer?.conflicted(lost.kind)
    if (lost?.kind === 'IdempotencyKeyUsed') {
      const earlier = await outcomeOfUsedKey(runtime, call, transaction)
      if (earlier) return earlier
    }
    if (lost && isTooLate()) return err({ kind: 'Aborted', attempts })
    if (lost) await pause(attempts, call.signal)
    if (attempts === GUARD_LOCK_AFTER && transaction.guard) {
      turn.push(transaction.guard.stream)
      if ((await runtime.queue.enter(turn, call.signal)) === false) return err(CANCELLED)
    }
    await refresh(trackedIn(transaction), call)
    if (call.signal?.aborted) return err(CANCELLED)
    if (lost || call.dryRun) call.observer?.deciding(attempts + 1)
    const decision = judge(call, transaction)
    if (call.dryRun || changesNothing(decision)) {
      const earlier = await earlierOutcome(runtime, call, transaction)
      if (earlier) return earlier
      if (call.dryRun) return decision.map((events) => planned(call, transaction, events))
      return decision.map(() => written(call, transaction, []))
    }
    const recorded = await record(runtime, call, { transaction, settle: itself })
    if (recorded.isOk()) return ok(recordedOutcome(call, transaction, recorded.value))
    lost = recorded.error
  }
}

const itself = (recorded: Recorded): Recorded => recorded

const isKnown = (tracked: AnyTracked): boolean => tracked.isKnown

const refresh = async (
  tracked: readonly AnyTracked[],
  { signal }: Pick<AdmittedCall, 'signal'>,
): Promise<void> => {
  await raceAbort(Promise.all(tracked.map((stream) => stream.refresh())), signal)
}

type Judgement = Result<readonly NewEvent[], IamError>

const changesNothing = (decision: Judgement): boolean =>
  decision.isErr() || decision.value.length === 0

const judge = (
  { expectedSequence }: AdmittedCall,
  { decide, object, writes }: Transaction<unknown>,
): Judgement => {
  const decision = decide()
  if (decision.isErr()) return err(decision.error)
  const actual = object.snapshot.changed
  if (expectedSequence !== undefined && expectedSequence !== actual)
    return err({ kind: 'SequenceMismatch', expected: expectedSequence, actual })
  return ok(writes.length === 1 ? object.newEvents : writes.flatMap((write) => write.newEvents))
}

const recordedOutcome = <Ids>(
  call: AdmittedCall,
  transaction: Transaction<Ids>,
  events: readonly RecordedEvent[],
): Outcome<Ids> => {
  advance(transaction, events)
  return written(call, transaction, events)
}

const written = <Ids>(
  { orgId }: AdmittedCall,
  { object, ids }: Transaction<Ids>,
  events: readonly RecordedEvent[],
): Outcome<Ids> => ({
  ...ids(object.stream),
  details: detailsOf(object.snapshot, orgId),
  changed: events.length > 0,
  events,
})

const planned = (
  { orgId }: AdmittedCall,
  { object }: Transaction<unknown>,
  events: readonly NewEvent[],
): Outcome<never> => ({
  changed: events.length > 0,
  events,
  ...(exists(object.snapshot.state) && { details: detailsOf(object.snapshot, orgId) }),
})
