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
export const transact = <Ids>(
  runtime: Runtime,
  session: Session,
  transaction: Transaction<Ids>,
): Promise<Result<Outcome<Ids>, IamError>> => {
  const streams = streamsToQueueFor(transaction.writes)
  const turn = runtime.queue.enter(streams, session.signal)
  const work = { ...transaction, streams }
  if (turn === undefined) return decideUntilRecorded(runtime, session, work)
  return turn.then((hasTurn) =>
    hasTurn ? decideUntilRecorded(runtime, session, work) : err(CANCELLED),
  )
}

/** A stream that was just made up has no others that wait for it; should it have, versions tell. */
const streamsToQueueFor = (writes: readonly AnyTracked[]): readonly StreamId[] => {
  const streams: StreamId[] = []
  for (const { stream, isKnown, snapshot } of writes) {
    if (!isKnown || snapshot.version > 0) streams.push(stream)
  }
  return streams
}

const refresh = async (tracked: readonly AnyTracked[]): Promise<void> => {
  await Promise.all(tracked.map((stream) => stream.refresh()))
}

const trackedIn = ({ writes, guards }: Transaction<unknown>): readonly AnyTracked[] => [
  ...writes,
  ...guards,
]

const isKnown = (tracked: AnyTracked): boolean => tracked.isKnown

/** @param transaction.streams - those that it has its turn at, which it ends */
const decideUntilRecorded = async <Ids>(
  runtime: Runtime,
  session: Session,
  transaction: Transaction<Ids> & { readonly streams: readonly StreamId[] },
): Promise<Result<Outcome<Ids>, IamError>> => {
  try {
    const tracked = trackedIn(transaction)
    let isFresh = session.dryRun
    if (isFresh || !tracked.every(isKnown)) {
      await refresh(isFresh ? tracked : tracked.filter((stream) => !stream.isKnown))
    }
    for (let lost = 0; ; ) {
      if (session.signal?.aborted) return err(CANCELLED)
      const decision = judge(session, transaction)
      if (session.dryRun) return decision.map((events) => planned(session, transaction, events))
      if (changesNothing(decision)) {
        if (isFresh) {
          const earlier = await earlierOutcome(runtime, session, transaction)
          return earlier ?? decision.map(() => written(session, transaction, []))
        }
      } else {
        const recorded = await record(runtime, session, transaction)
        if (recorded.isOk()) return ok(written(session, transaction, recorded.value))
        if (recorded.error.kind === 'IdempotencyKeyUsed') {
          const earlier = await earlierOutcome(runtime, session, transaction)
          if (earlier) return earlier
        }
        if (++lost === MAX_ATTEMPTS) return err({ kind: 'Aborted', attempts: lost })
        await pause(lost, session.signal)
      }
      await refresh(tracked)
      isFresh = true
    }
  } finally {
    runtime.queue.leave(transaction.streams)
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
  ...ids(object.stream),
  details: detailsOf(object.snapshot, orgId),
  changed: events.length > 0,
  events,
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
