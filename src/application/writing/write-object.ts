import { err, ok, type Result } from 'neverthrow'
import type { AnyAggregate } from '../../domain/aggregates.js'
import { exists } from '../../domain/decider.js'
import type { RecordedEvent } from '../../ports/event-store.js'
import type { KnownEvent } from '../../ports/known-event.js'
import { readBatch } from '../../projections/read-events.js'
import type { WriteError } from '../errors/errors.js'
import { errorOf, Fault, fromPort } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import type { Outcome } from '../method/method.js'
import { storedKey } from '../recording/metadata.js'
import { detailsOf, Snapshot, type StreamRecord } from '../recording/snapshot.js'
import { type Decision, type Settled, transact } from '../recording/transact.js'
import type { View } from '../recording/view.js'
import type { Runtime } from '../runtime.js'
import { sha256 } from '../sha256.js'
import { raceAbort } from '../waiting.js'
import { plannedChanges } from './planned-changes.js'

/** A command that answers with one object. */
export interface ObjectWrite<Ids> {
  /** The parsed input without secrets: tells commands of one method under one key apart. */
  readonly input: object
  /** The kind of the object. */
  readonly kind: AnyAggregate
  /** What to record; the last record is that of the object. */
  readonly decide: (view: View) => Result<readonly StreamRecord[], WriteError>
  /** The ids of the object, given what was recorded; no events when nothing was. */
  readonly ids: (recorded: readonly RecordedEvent[]) => Ids
  /** Of a command that adds several objects, what stands before the fields of each: `roles[0].`. */
  readonly placeOf?: (index: number) => string
  /** Whether the secret recorded is that of the command; absent without a secret. */
  readonly isSameSecret?: (recorded: readonly KnownEvent[]) => Promise<boolean>
}

/** Records a command, at most once under an idempotency key, and answers with its object. */
export const writeObject = <Ids>(
  runtime: Runtime,
  call: AdmittedCall,
  write: ObjectWrite<Ids>,
): Promise<Result<Outcome<Ids>, WriteError>> => {
  const outcome = settle(runtime, call, write)
  return call.dryRun ? withChanges(runtime, call, { ...write, outcome }) : outcome
}

/** The answer of a dry run with the fields that would change. */
const withChanges = async <Ids>(
  runtime: Runtime,
  call: AdmittedCall,
  { outcome, ...write }: ObjectWrite<Ids> & { readonly outcome: ReturnType<typeof settle<Ids>> },
): Promise<Result<Outcome<Ids>, WriteError>> => {
  const settled = await outcome
  if (settled.isErr() || !settled.value.changed) return settled
  const changes = await plannedChanges(runtime, call, { ...write, ...settled.value })
  return ok({ ...settled.value, changes })
}

const settle = <Ids>(
  runtime: Runtime,
  call: AdmittedCall,
  write: ObjectWrite<Ids>,
): Promise<Result<Outcome<Ids>, WriteError>> => {
  const decide = (view: View) => write.decide(view).map((records) => ({ records }))
  const answer = (settled: Settled<Decision>) => outcomeOf(call, write, settled)
  if (call.idempotencyKey === undefined) return transact(runtime, call, { decide, answer })
  return transact(runtime, call, {
    decide,
    answer,
    commandHash: () => sha256([call.method, write.input]),
    earlier: (isUsed) =>
      isUsed ? outcomeOfUsedKey(runtime, call, write) : earlierOutcome(runtime, call, write),
  })
}

const outcomeOf = <Ids>(
  { orgId, dryRun }: AdmittedCall,
  { ids }: Pick<ObjectWrite<Ids>, 'ids'>,
  { decided: { records }, events, snapshots }: Settled<Decision>,
): Outcome<Ids> => {
  const object = snapshots.at(-1)
  if (object === undefined)
    throw new Error('A command that answers with an object must record its stream')
  const details = detailsOf(object, orgId)
  if (!dryRun) return { ...ids(events), details, changed: events.length > 0, events }
  const planned = records.flatMap((each) => each.events)
  return {
    changed: planned.length > 0,
    events: planned,
    changes: [],
    ...(exists(object.state) && { details }),
  }
}

/**
 * What the same command answered when it was first recorded under the idempotency key of the call; a dry run
 * would change nothing of that. Refused when another command was. Undefined when none was.
 */
const earlierOutcome = async <Ids>(
  { store }: Runtime,
  { method, orgId, idempotencyKey = '', signal, dryRun }: AdmittedCall,
  { input, kind, ids, isSameSecret }: ObjectWrite<Ids>,
): Promise<Result<Outcome<Ids>, WriteError> | undefined> => {
  const key = storedKey(orgId, idempotencyKey)
  const finding = fromPort(() => store.findAppend({ idempotencyKey: key }))
  const events = await raceAbort(finding, signal)
  const [first] = events
  const last = events.at(-1)
  if (!first || !last) return undefined
  const { known, unreadable } = readBatch(events)
  if (unreadable) return err(unreadable)
  const isSame =
    first.metadata.commandHash === (await raceAbort(sha256([method, input]), signal)) &&
    (!isSameSecret || (await raceAbort(isSameSecret(known), signal)))
  if (!isSame) return err({ kind: 'IdempotencyKeyReused', idempotencyKey })
  const reading = fromPort(() => store.readStream(last.stream))
  const past = (await raceAbort(reading, signal)).slice(0, last.version)
  const details = detailsOf(new Snapshot(kind, last.stream).replay(past), orgId)
  if (dryRun) return ok({ details, changed: false, events: [], changes: [] })
  return ok({ details, changed: true, events, ...ids(events) })
}

/**
 * {@link earlierOutcome} of a key that was used. While the store cannot say for what, something may have been
 * recorded.
 */
const outcomeOfUsedKey: typeof earlierOutcome = async (runtime, call, write) => {
  try {
    return await earlierOutcome(runtime, call, write)
  } catch (thrown) {
    const error = errorOf(thrown)
    throw error.kind === 'Unavailable' ? new Fault({ ...error, outcome: 'unknown' }) : thrown
  }
}
