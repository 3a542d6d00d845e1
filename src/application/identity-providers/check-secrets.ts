import { err, ok, type Result } from 'neverthrow'
import { identityProviders } from '../../domain/identity-provider/kind.js'
import { sealedSecretIn } from '../../domain/identity-provider/secret.js'
import type { StreamId } from '../../domain/values.js'
import type { EventStore, Position } from '../../ports/event-store.js'
import type { Host } from '../../ports/host.js'
import type { KnownEvent } from '../../ports/known-event.js'
import { readEvent } from '../../projections/events/read-event.js'
import type { IamError } from '../errors/errors.js'
import { errorOf, Fault, fromPort } from '../errors/fault.js'
import type { SealBroken } from '../errors/log-fault.js'
import { brokenSeal } from '../following/verify.js'
import { raceAbort } from '../waiting/race-abort.js'
import { yieldToEventLoop } from '../waiting/yield-to-event-loop.js'

/** Most events that are read at once. */
const BATCH_SIZE = 1_000

/** Options of `iam.checkSecrets`. */
export interface CheckSecretsOptions {
  /** Ends the check, even while the store does not answer. */
  readonly signal?: AbortSignal | undefined
}

/** Result of a check in which every secret could be opened. */
export interface SecretsChecked {
  /** Number of secrets: one for each identity provider that exists. */
  readonly checked: number
}

/** @see Iam.checkSecrets */
export const checkSecrets = async (
  { store, secrets }: Pick<Host, 'store' | 'secrets'>,
  { signal }: CheckSecretsOptions = {},
): Promise<Result<SecretsChecked, SealBroken | IamError>> => {
  try {
    const current = await raceAbort(currentSecrets(store, signal), signal)
    for (const [index, event] of current.entries()) {
      const broken = await brokenSeal(secrets, event, signal)
      if (broken) return err(broken)
      if (index % BATCH_SIZE === 0) await yieldToEventLoop()
    }
    return ok({ checked: current.length })
  } catch (thrown) {
    return err(errorOf(thrown))
  }
}

/** The last event with a secret of each identity provider that exists. */
const currentSecrets = async (
  store: EventStore,
  signal: AbortSignal | undefined,
): Promise<readonly KnownEvent[]> => {
  const current = new Map<StreamId, KnownEvent>()
  let position: Position = 0n
  while (!signal?.aborted) {
    const after = position
    const events = await fromPort(() => store.readAll(after, BATCH_SIZE))
    for (const recorded of events) {
      position = recorded.position
      // An event of an unknown type may hold a secret too, so reading it must fail.
      if (!recorded.type.startsWith(`${identityProviders.type}.`)) continue
      const event = readEvent(recorded)
      if (event.isErr()) throw new Fault(event.error)
      const { stream, type } = event.value
      if (sealedSecretIn(event.value) !== undefined) current.set(stream, event.value)
      if (type === identityProviders.removal) current.delete(stream)
    }
    if (events.length === 0) break
    await yieldToEventLoop()
  }
  return [...current.values()]
}
