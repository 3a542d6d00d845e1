import { ok, type Result } from 'neverthrow'
import type {
  Append,
  IdempotencyKeyUsed,
  NewEvent,
  RecordedEvent,
  StreamWrite,
  VersionConflict,
} from '../ports/event-store.js'
import { outcomeOf } from '../ports/store-fault.js'
import type { Session } from './context.js'
import { type Fault, started, unavailable } from './fault.js'
import { commandHash } from './idempotency.js'
import type { Runtime } from './runtime.js'
import type { AnyTracked } from './tracked.js'
import type { Transaction } from './transaction.js'

/** Why an append was not recorded: another writer was faster, or the same one came before. */
export type LostRace = VersionConflict | IdempotencyKeyUsed

type Recorded = Result<readonly RecordedEvent[], LostRace>

/** Appends what was decided on the versions that it was decided on; {@link advance} is still to come. */
export const record = (
  runtime: Runtime,
  session: Session,
  transaction: Transaction<unknown>,
): Promise<Recorded> => {
  const metadata = runtime.metadataOf(session, transaction.managedBy)
  const append = { id: runtime.newId(), writes: conditionsOf(transaction), metadata }
  if (session.idempotencyKey === undefined) return send(runtime, append, session)
  return commandHash(transaction.command).then((hash) =>
    send(runtime, { ...append, metadata: { ...metadata, commandHash: hash } }, session),
  )
}

const send = ({ store }: Runtime, append: Append, { observer }: Session): Promise<Recorded> => {
  const sent = started(() => store.append(append)).then(undefined, async (cause) =>
    ok(await recordedAfterAll(store, append, cause)),
  )
  if (observer === undefined) return sent
  const begin = performance.now()
  return sent.then((recorded) => {
    if (recorded.isOk()) observer.appended(recorded.value, begin)
    return recorded
  })
}

const conditionsOf = ({ writes, guards }: Transaction<unknown>): readonly StreamWrite[] => {
  const conditions = writes.map((write) => conditional(write, write.newEvents))
  for (const guard of guards) conditions.push(conditional(guard, NO_EVENTS))
  return conditions
}

const NO_EVENTS: readonly NewEvent[] = []

const conditional = (
  { stream, snapshot }: AnyTracked,
  events: readonly NewEvent[],
): StreamWrite => ({ stream, expectedVersion: snapshot.version, events })

/** A store that cannot tell whether it recorded an append is asked for it before that is reported. */
const recordedAfterAll = async (
  store: Runtime['store'],
  { id }: Append,
  cause: unknown,
): Promise<readonly RecordedEvent[]> => {
  const fault = unavailable(cause, outcomeOf(cause) ?? 'unknown')
  const found = isUnknown(fault) ? await findOwn(store, id, fault) : []
  if (found.length === 0) throw fault
  return found
}

const isUnknown = ({ error }: Fault): boolean =>
  error.kind === 'Unavailable' && error.outcome === 'unknown'

const findOwn = async (
  store: Runtime['store'],
  id: string,
  fault: Fault,
): Promise<readonly RecordedEvent[]> => {
  try {
    return await store.findAppend({ id })
  } catch {
    // The first fault is the one to report: it tells that the outcome is unknown.
    throw fault
  }
}

/** Lets the streams that were written to take in what was recorded. */
export const advance = (
  { writes }: Transaction<unknown>,
  recorded: readonly RecordedEvent[],
): void => {
  let from = 0
  for (const write of writes) {
    const to = from + write.newEvents.length
    write.advance(to - from === recorded.length ? recorded : recorded.slice(from, to))
    from = to
  }
}
