import { err, ok, type Result } from 'neverthrow'
import { exists } from '../../domain/decider.js'
import type { Message } from '../../domain/message.js'
import type { StreamId } from '../../domain/values.js'
import type { RecordedEvent } from '../../ports/event-store.js'
import { readBatch } from '../../projections/events/read-events.js'
import type { IamError } from '../errors/errors.js'
import { errorOf, Fault, fromPort } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import type { Outcome } from '../method/outcome.js'
import { plannedChanges } from '../planned-changes.js'
import type { Runtime } from '../runtime.js'
import { sha256 } from '../sha256.js'
import { raceAbort } from '../waiting/race-abort.js'
import { storedKey } from './metadata.js'
import { detailsOf, type Evolving, Snapshot, type Status, type StreamRecord } from './snapshot.js'
import { type Decision, type Settled, transact } from './transact.js'
import type { View } from './view.js'

/** A command that answers with one object. */
export interface ObjectWrite<Ids, State extends Status, Event extends Message> {
  /** The parsed input without secrets: tells commands of one method under one key apart. */
  readonly input: object
  /** The kind of the object. */
  readonly kind: Evolving<State, Event>
  /** What to record; the last record is that of the object. */
  readonly decide: (view: View) => Result<readonly StreamRecord[], IamError>
  /** Of a command that adds several objects, what stands before the fields of each: `roles[0].`. */
  readonly placeOf?: (index: number) => string
  /** The ids of the object that has the stream. */
  readonly ids: (stream: StreamId) => Ids
  /** Whether the secret recorded is that of the command; absent without a secret. */
  readonly isSameSecret?: (recorded: readonly RecordedEvent[]) => Promise<boolean>
}

/** Records a command, at most once under an idempotency key, and answers with its object. */
export const writeObject = async <Ids, State extends Status, Event extends Message>(
  runtime: Runtime,
  call: AdmittedCall,
  write: ObjectWrite<Ids, State, Event>,
): Promise<Result<Outcome<Ids>, IamError>> => {
  const outcome = await settle(runtime, call, write)
  if (!call.dryRun || outcome.isErr() || !outcome.value.changed) return outcome
  const changes = await plannedChanges(runtime, call, { ...write, ...outcome.value })
  return ok({ ...outcome.value, changes })
}

const settle = <Ids, State extends Status, Event extends Message>(
  runtime: Runtime,
  call: AdmittedCall,
  write: ObjectWrite<Ids, State, Event>,
): Promise<Result<Outcome<Ids>, IamError>> => {
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
  { ids }: Pick<ObjectWrite<Ids, Status, Message>, 'ids'>,
  { decided: { records }, events, snapshots }: Settled<Decision>,
): Outcome<Ids> => {
  const object = snapshots.at(-1)
  if (object === undefined)
    throw new Error('A command that answers with an object must record its stream')
  const details = detailsOf(object, orgId)
  if (!dryRun) return { ...ids(object.name), details, changed: events.length > 0, events }
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
const earlierOutcome = async <Ids, State extends Status, Event extends Message>(
  { store }: Runtime,
  { method, orgId, idempotencyKey = '', signal, dryRun }: AdmittedCall,
  { input, kind, ids, isSameSecret }: ObjectWrite<Ids, State, Event>,
): Promise<Result<Outcome<Ids>, IamError> | undefined> => {
  const key = storedKey(orgId, idempotencyKey)
  const finding = fromPort(() => store.findAppend({ idempotencyKey: key }))
  const events = await raceAbort(finding, signal)
  const [first] = events
  const last = events.at(-1)
  if (!first || !last) return undefined
  const { unreadable } = readBatch(events)
  if (unreadable) return err(unreadable)
  const isSame =
    first.metadata.commandHash === (await raceAbort(sha256([method, input]), signal)) &&
    (!isSameSecret || (await raceAbort(isSameSecret(events), signal)))
  if (!isSame) return err({ kind: 'IdempotencyKeyReused', idempotencyKey })
  const reading = fromPort(() => store.readStream(last.stream))
  const past = (await raceAbort(reading, signal)).slice(0, last.version)
  const details = detailsOf(new Snapshot(kind, last.stream).replay(past), orgId)
  if (dryRun) return ok({ details, changed: false, events: [], changes: [] })
  return ok({ details, changed: true, events, ...ids(last.stream) })
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
