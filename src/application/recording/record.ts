import { ok, type Result } from 'neverthrow'
import type {
  Append,
  IdempotencyKeyUsed,
  NewEvent,
  RecordedEvent,
  StreamWrite,
  VersionConflict,
} from '../../ports/event-store.js'
import { outcomeOf } from '../../ports/store-fault.js'
import { type Fault, unavailable } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import type { Runtime } from '../runtime.js'
import { raceAbort } from '../waiting/race-abort.js'
import { commandHash } from './idempotency.js'
import type { AnyTracked } from './tracked.js'
import type { Transaction } from './transaction.js'

/** Why an append was not recorded: another writer was faster, or the same one came before. */
export type LostRace = VersionConflict | IdempotencyKeyUsed

export type Recorded = Result<readonly RecordedEvent[], LostRace>

/**
 * Appends what was decided on the versions that it was decided on, and hands what came of it to
 * `settle`; {@link advance} is still to come. One promise, since every write waits for it.
 */
export const record = <Answer>(
  runtime: Runtime,
  call: AdmittedCall,
  { transaction, settle }: Recording<Answer>,
): Promise<Answer> => {
  const append = appendOf(runtime, call, transaction)
  if (call.idempotencyKey === undefined) return send(runtime, append, told(call, settle))
  return raceAbort(commandHash(transaction.command), call.signal).then((hash) => {
    const keyed = { ...append, metadata: { ...append.metadata, commandHash: hash } }
    return send(runtime, keyed, told(call, settle))
  })
}

/** What is to be recorded, and what to do once that is done. */
interface Recording<Answer> {
  readonly transaction: Transaction<unknown>
  readonly settle: Settle<Answer>
}

type Settle<Answer> = (recorded: Recorded) => Answer | Promise<Answer>

const appendOf = (
  { newId, metadataOf }: Runtime,
  call: AdmittedCall,
  transaction: Transaction<unknown>,
): Append => ({
  id: newId(),
  writes: conditionsOf(transaction),
  metadata: metadataOf(call, transaction.managedBy, transaction.managedVersion),
})

/** `settle`, once the host was told of the append that is now to be sent. */
const told = <Answer>({ observer }: AdmittedCall, settle: Settle<Answer>): Settle<Answer> => {
  if (!observer) return settle
  const begin = performance.now()
  return (recorded) => {
    if (recorded.isOk()) observer.appended(recorded.value, begin)
    return settle(recorded)
  }
}

const send = <Answer>(
  { store }: Runtime,
  append: Append,
  settle: Settle<Answer>,
): Promise<Answer> => {
  const recover = async (cause: unknown) => settle(ok(await recordedAfterAll(store, append, cause)))
  try {
    return store.append(append).then(settle, recover)
  } catch (cause) {
    return recover(cause)
  }
}

const conditionsOf = ({ writes, guard }: Transaction<unknown>): readonly StreamWrite[] => {
  const conditions = writes.map((write) => conditional(write, write.newEvents))
  if (!guard) return conditions
  const [only] = conditions
  // A list grows by more than it needs, so the usual one of two is written out.
  if (only && conditions.length === 1) return [only, conditional(guard, NO_EVENTS)]
  return [...conditions, conditional(guard, NO_EVENTS)]
}

const conditional = (
  { stream, snapshot }: AnyTracked,
  events: readonly NewEvent[],
): StreamWrite => ({ stream, expectedVersion: snapshot.version, events })

const NO_EVENTS: readonly NewEvent[] = []

/** A store that cannot tell whether it recorded an append is asked for it before that is reported. */
const recordedAfterAll = async (
  store: Runtime['store'],
  { id }: Append,
  cause: unknown,
): Promise<readonly RecordedEvent[]> => {
  const fault = unavailable(cause, outcomeOf(cause) ?? 'unknown')
  const found = isUnknown(fault) ? await findOwn(store, id) : []
  if (found.length === 0) throw fault
  return found
}

const isUnknown = ({ error }: Fault): boolean =>
  error.kind === 'Unavailable' && error.outcome === 'unknown'

const findOwn = async (store: Runtime['store'], id: string): Promise<readonly RecordedEvent[]> => {
  try {
    return await store.findAppend({ id })
  } catch {
    // The first fault is the one to report: it tells that the outcome is unknown.
    return []
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
