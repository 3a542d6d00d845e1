import { err, ok, type Result } from 'neverthrow'
import type { RecordedEvent } from '../../ports/event-store.js'
import { readBatch } from '../../projections/events/read-events.js'
import type { IamError } from '../errors/errors.js'
import { errorOf, Fault, fromPort } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import type { Outcome } from '../method/outcome.js'
import type { Runtime } from '../runtime.js'
import { sha256 } from '../sha256.js'
import { raceAbort } from '../waiting/race-abort.js'
import { storedKey } from './metadata.js'
import { detailsOf } from './tracked.js'
import type { Transaction } from './transaction.js'

/** Tells one command from another: SHA-256 over the method and its input, without secrets. */
export const commandHash = ({ method, input }: Transaction<unknown>['command']): Promise<string> =>
  sha256([method, input])

/**
 * What the same command answered when it was first recorded under the idempotency key of the
 * call, of which a dry run would change nothing; refused when another command was. Undefined when
 * none was.
 */
export const earlierOutcome = async <Ids>(
  { store }: Runtime,
  { orgId, idempotencyKey, signal, dryRun }: AdmittedCall,
  transaction: Transaction<Ids>,
): Promise<Result<Outcome<Ids>, IamError> | undefined> => {
  if (idempotencyKey === undefined) return undefined
  const key = storedKey(orgId, idempotencyKey)
  const finding = fromPort(() => store.findAppend({ idempotencyKey: key }))
  const events = await raceAbort(finding, signal)
  const last = events.at(-1)
  if (!last) return undefined
  const { unreadable } = readBatch(events)
  if (unreadable) return err(unreadable)
  if (!(await raceAbort(isRepeated(transaction, events), signal)))
    return err({ kind: 'IdempotencyKeyReused', idempotencyKey })
  const snapshot = await raceAbort(transaction.object.past(last.stream, last.version), signal)
  const details = detailsOf(snapshot, orgId)
  if (dryRun) return ok({ details, changed: false, events: [] })
  return ok({ details, changed: true, events, ...transaction.ids(last.stream) })
}

/**
 * {@link earlierOutcome} of a key that was used. While the store cannot say for what, something may have been
 * recorded.
 */
export const outcomeOfUsedKey: typeof earlierOutcome = async (runtime, call, transaction) => {
  try {
    return await earlierOutcome(runtime, call, transaction)
  } catch (thrown) {
    const error = errorOf(thrown)
    throw error.kind === 'Unavailable' ? new Fault({ ...error, outcome: 'unknown' }) : thrown
  }
}

const isRepeated = async (
  { command, isSameSecret }: Transaction<unknown>,
  recorded: readonly RecordedEvent[],
): Promise<boolean> => {
  if (recorded[0]?.metadata.commandHash !== (await commandHash(command))) return false
  return isSameSecret ? await isSameSecret(recorded) : true
}
