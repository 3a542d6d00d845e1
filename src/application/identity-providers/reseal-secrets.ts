import { err, ok, type Result } from 'neverthrow'
import { exists } from '../../domain/aggregate.js'
import {
  identityProvider,
  identityProviders,
  sealedSecretIn,
} from '../../domain/identity-provider/aggregate.js'
import type { StreamId } from '../../domain/values.js'
import type { Host } from '../../ports/host.js'
import type { KnownEvent } from '../../ports/known-event.js'
import { readEvent } from '../../projections/read-events.js'
import type { SealBroken, WriteError } from '../errors/errors.js'
import { catchFaults, Fault } from '../errors/fault.js'
import { logPages } from '../following/log-pages.js'
import { brokenSeal } from '../following/verify.js'
import { reportFault } from '../hooks.js'
import type { AdmittedCall, LongContext } from '../method/context.js'
import { allObjects } from '../reading/query.js'
import { change } from '../recording/stream-state.js'
import { type Decision, type Transaction, transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { fromPort, raceAbort } from '../waiting.js'
import { open, seal } from './client-secrets.js'

/** Progress of `resealSecrets` of all providers, after each of them. */
export interface ResealProgress {
  /** Number of providers handled, with or without success. */
  readonly done: number
  /** Number of providers of the organization. */
  readonly total: number
}

/** Result of `resealSecrets`. */
export interface ResealReport {
  /** Ids of the providers whose secret is now encrypted with the current key. */
  readonly resealed: readonly string[]
  /** Ids of the providers whose secret had the current key already. */
  readonly unchanged: readonly string[]
  /** Providers whose secret stays as it is, and why. */
  readonly failed: readonly {
    /** Id of the provider. */
    readonly idpId: string
    /** The error. */
    readonly error: WriteError
  }[]
}

/** Encrypts secrets of other keys with the current key: one append for each provider. */
export const resealSecrets = async (
  runtime: Runtime,
  call: AdmittedCall,
  { idpId }: { readonly idpId?: string | undefined },
  onProgress: LongContext<ResealProgress>['onProgress'],
): Promise<Result<ResealReport, WriteError>> => {
  if (idpId === undefined) return resealAll(runtime, call, onProgress)
  return (await reseal(runtime, call, idpId)).map((isResealed) => ({
    resealed: isResealed ? [idpId] : [],
    unchanged: isResealed ? [] : [idpId],
    failed: [],
  }))
}

const resealAll = async (
  runtime: Runtime,
  call: AdmittedCall,
  onProgress: LongContext<ResealProgress>['onProgress'],
): Promise<Result<ResealReport, WriteError>> => {
  const resealed: string[] = []
  const unchanged: string[] = []
  const failed: { idpId: string; error: WriteError }[] = []
  const idpIds = await raceAbort(idpIdsOf(runtime, call), call.signal)
  for (const [index, idpId] of idpIds.entries()) {
    if (call.signal?.aborted) return err({ kind: 'Cancelled' })
    const result = await reseal(runtime, call, idpId)
    if (result.isErr()) {
      const { error } = result
      if (error.kind === 'Cancelled') return err(error)
      reportFault(runtime.hooks, call.method, error)
      failed.push({ idpId, error })
    } else if (result.value) resealed.push(idpId)
    else unchanged.push(idpId)
    onProgress?.({ done: index + 1, total: idpIds.length })
    await runtime.environment.yield()
  }
  return ok({ resealed, unchanged, failed })
}

const idpIdsOf = async (runtime: Runtime, call: AdmittedCall): Promise<readonly string[]> => {
  const idpIds: string[] = []
  const { orgId } = call
  for await (const { idpId } of allObjects(runtime, call, { type: 'identity_provider', orgId }))
    idpIds.push(idpId)
  return idpIds
}

/** @returns whether the secret was encrypted again */
const reseal = (
  runtime: Runtime,
  call: AdmittedCall,
  idpId: string,
): Promise<Result<boolean, WriteError>> => {
  const owner = { orgId: call.orgId, idpId }
  const resealing: Transaction<Decision, boolean> = {
    // The provider stays as its desired state declares it.
    isUpkeep: true,
    decide: async (streams) => {
      const before = await streams.read(identityProviders, owner, { load: 'latest' })
      const { state } = before
      if (!exists(state)) return err({ kind: 'NotFound', object: identityProviders.ref(owner) })
      const { idpId, clientSecret: replaces } = state
      if (await fromPort(() => runtime.secrets.isCurrent(replaces))) return ok({ changes: [] })
      const sealing = open(runtime, replaces, owner).then((secret) => seal(runtime, secret, owner))
      const data = { idpId, replaces, clientSecret: await raceAbort(sealing, call.signal) }
      return identityProvider
        .decide({ type: 'ResealClientSecret', data }, state)
        .map((events) => ({ changes: [change(before, events)] }))
    },
    answer: ({ events }) => events.length > 0,
  }
  return catchFaults(() => transact(runtime, call, resealing))
}

/** Number of secrets that are opened without a break. */
const BATCH_SIZE = 1_000

/** Options of `iam.checkSecrets`. */
export interface CheckSecretsOptions {
  /** Ends the check, even while the store does not respond. */
  readonly signal?: AbortSignal | undefined
}

/** Result of a check that could decrypt every secret. */
export interface SecretsChecked {
  /** Number of secrets: one for each identity provider that exists. */
  readonly checked: number
}

/** @see Iam.checkSecrets @throws Fault when the log cannot be read */
export const checkSecrets = async (
  { store, secrets, environment }: Pick<Host, 'store' | 'secrets' | 'environment'>,
  { signal }: CheckSecretsOptions = {},
): Promise<Result<SecretsChecked, SealBroken>> => {
  const current = await currentSecrets({ store, environment }, signal)
  for (const [index, event] of current.entries()) {
    const broken = await brokenSeal(secrets, event, signal)
    if (broken) return err(broken)
    if (index % BATCH_SIZE === 0) await environment.yield()
  }
  return ok({ checked: current.length })
}

/** The last event with a secret of each identity provider that exists. */
const currentSecrets = async (
  { store, environment }: Pick<Host, 'store' | 'environment'>,
  signal: AbortSignal | undefined,
): Promise<readonly KnownEvent[]> => {
  const current = new Map<StreamId, KnownEvent>()
  for await (const { events } of logPages(store, 0n, { signal, environment }))
    for (const recorded of events) {
      // An event of an unknown type may hold a secret too, so reading it must fail.
      if (!recorded.type.startsWith(`${identityProviders.type}.`)) continue
      const event = readEvent(recorded)
      if (event.isErr()) throw new Fault(event.error)
      const { stream } = event.value
      if (sealedSecretIn(event.value) !== undefined) current.set(stream, event.value)
      if (event.value.type === identityProviders.removes) current.delete(stream)
    }
  return [...current.values()]
}
