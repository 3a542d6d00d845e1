import { err, ok, type Result } from 'neverthrow'
import { exists } from '../domain/decider.js'
import type { StreamId } from '../domain/values.js'
import type { NewEvent, RecordedEvent } from '../ports/event-store.js'
import type { Session } from './context.js'
import type { Cancelled, IamError } from './errors.js'
import { earlierOutcome } from './idempotency.js'
import type { Outcome } from './outcome.js'
import { pause } from './pause.js'
import { record } from './record.js'
import type { Runtime } from './runtime.js'
import { type AnyTracked, detailsOf } from './tracked.js'
import type { Transaction } from './transaction.js'

/** How often a decision is taken before the lost races are reported. */
const MAX_ATTEMPTS = 10

const CANCELLED: Cancelled = { kind: 'Cancelled' }

/**
 * Takes a command to its end: reads what is not remembered, decides, appends on the versions that
 * were decided on, and decides anew after a lost race. The only way by which commands are recorded.
 *
 * What is remembered may be stale. An append on it can only lose the race; a refusal, a no-op and a
 * dry run are decided anew on what the store has, before they are returned.
 */
export const transact = async <Ids>(
  runtime: Runtime,
  session: Session,
  transaction: Transaction<Ids>,
): Promise<Result<Outcome<Ids>, IamError>> => {
  const { writes } = transaction
  const entered: StreamId[] = []
  try {
    for (const { stream } of inOneOrder(writes)) {
      const turn = runtime.queue.enter(stream, session.signal)
      if (turn && !(await turn)) return err(CANCELLED)
      entered.push(stream)
    }
    const tracked = [...writes, ...transaction.guards]
    await refresh(session.dryRun ? tracked : tracked.filter(({ isKnown }) => !isKnown))
    return await decideUntilRecorded(runtime, session, { ...transaction, tracked })
  } finally {
    for (const stream of entered) runtime.queue.leave(stream)
  }
}

/** Commands that wait for several streams wait in one order, so that none wait for each other. */
const inOneOrder = (writes: readonly AnyTracked[]): readonly AnyTracked[] =>
  writes.length === 1
    ? writes
    : [...writes].sort((one, other) => (one.stream < other.stream ? -1 : 1))

const refresh = async (tracked: readonly AnyTracked[]): Promise<void> => {
  await Promise.all(tracked.map((stream) => stream.refresh()))
}

const decideUntilRecorded = async <Ids>(
  runtime: Runtime,
  session: Session,
  transaction: Transaction<Ids> & { readonly tracked: readonly AnyTracked[] },
): Promise<Result<Outcome<Ids>, IamError>> => {
  let isFresh = session.dryRun
  for (let attempts = 1; ; attempts++) {
    if (session.signal?.aborted) return err(CANCELLED)
    let decision = judge(session, transaction)
    if (!isFresh && changesNothing(decision)) {
      await refresh(transaction.tracked)
      isFresh = true
      decision = judge(session, transaction)
    }
    if (session.dryRun) return decision.map((events) => planned(session, transaction, events))
    if (changesNothing(decision)) {
      const earlier = await earlierOutcome(runtime, session, transaction)
      return earlier ?? decision.map(() => written(session, transaction, []))
    }

    const recorded = await record(runtime, session, transaction)
    if (recorded.isOk()) return ok(written(session, transaction, recorded.value))
    if (recorded.error.kind === 'IdempotencyKeyUsed') {
      const earlier = await earlierOutcome(runtime, session, transaction)
      if (earlier) return earlier
    }
    if (attempts === MAX_ATTEMPTS) return err({ kind: 'Aborted', attempts })
    await pause(attempts, session.signal)
    await refresh(transaction.tracked)
    isFresh = true
  }
}

type Judgement = Result<readonly NewEvent[], IamError>

const changesNothing = (decision: Judgement): boolean =>
  decision.isErr() || decision.value.length === 0

const judge = (
  { expectedSequence }: Session,
  { decide, object, writes }: Transaction<unknown>,
): Judgement => {
  const decision = decide()
  if (decision.isErr()) return err(decision.error)
  const actual = object.snapshot.changed
  if (expectedSequence !== undefined && expectedSequence !== actual)
    return err({ kind: 'SequenceMismatch', expected: expectedSequence, actual })
  return ok(writes.length === 1 ? object.newEvents : writes.flatMap((write) => write.newEvents))
}

const written = <Ids>(
  { orgId }: Session,
  { object, ids }: Transaction<Ids>,
  events: readonly RecordedEvent[],
): Outcome<Ids> => ({
  details: detailsOf(object.snapshot, orgId),
  changed: events.length > 0,
  events,
  ...ids(object.stream),
})

const planned = (
  { orgId }: Session,
  { object }: Transaction<unknown>,
  events: readonly NewEvent[],
): Outcome<never> => ({
  changed: events.length > 0,
  events,
  ...(exists(object.snapshot.state) && { details: detailsOf(object.snapshot, orgId) }),
})
