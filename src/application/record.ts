import { ok, type Result } from 'neverthrow'
import type {
  Append,
  IdempotencyKeyUsed,
  Metadata,
  RecordedEvent,
  VersionConflict,
} from '../ports/event-store.js'
import { outcomeOf } from '../ports/store-fault.js'
import type { Session } from './context.js'
import { type Fault, unavailable } from './fault.js'
import { commandHash, storedKey } from './idempotency.js'
import type { Runtime } from './runtime.js'
import type { AnyTracked } from './tracked.js'
import type { Transaction } from './transaction.js'

type Recorded = Result<readonly RecordedEvent[], VersionConflict | IdempotencyKeyUsed>

/** Appends what was decided on the versions that it was decided on. */
export const record = async (
  runtime: Runtime,
  session: Session,
  transaction: Transaction<unknown>,
): Promise<Recorded> => {
  const { writes, guards } = transaction
  const recorded = await send(runtime, {
    id: runtime.newId(),
    writes: [
      ...writes.map((write) => conditional(write, write.newEvents)),
      ...guards.map((guard) => conditional(guard, [])),
    ],
    metadata: await metadataOf(session, transaction),
  })
  if (recorded.isOk()) advance(writes, recorded.value)
  return recorded
}

const conditional = (
  { stream, snapshot }: AnyTracked,
  events: Append['writes'][number]['events'],
): Append['writes'][number] => ({ stream, expectedVersion: snapshot.version, events })

const metadataOf = async (
  { caller, orgId, correlationId, idempotencyKey }: Session,
  { command, managedBy }: Transaction<unknown>,
): Promise<Metadata> => ({
  actor: { userId: caller.userId, orgId: caller.orgId },
  resourceOwner: orgId,
  ...(correlationId !== undefined && { correlationId }),
  ...(managedBy !== undefined && { managedBy }),
  ...(idempotencyKey !== undefined && {
    idempotencyKey: storedKey(orgId, idempotencyKey),
    commandHash: await commandHash(command),
  }),
})

/** A store that cannot tell whether it recorded the append is asked for it before that is reported. */
const send = async ({ store }: Runtime, append: Append): Promise<Recorded> => {
  try {
    return await store.append(append)
  } catch (cause) {
    const fault = unavailable(cause, outcomeOf(cause) ?? 'unknown')
    const found = isUnknown(fault) ? await findOwn(store, append.id, fault) : []
    if (found.length === 0) throw fault
    return ok(found)
  }
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

const advance = (writes: readonly AnyTracked[], recorded: readonly RecordedEvent[]): void => {
  let from = 0
  for (const write of writes) {
    const to = from + write.newEvents.length
    write.advance(recorded.slice(from, to))
    from = to
  }
}
