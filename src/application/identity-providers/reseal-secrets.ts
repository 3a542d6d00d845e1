import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { exists } from '../../domain/decider.js'
import { identityProvider } from '../../domain/identity-provider/decider.js'
import { identityProviders } from '../../domain/identity-provider/kind.js'
import { IdpId } from '../../domain/values.js'
import type { IamError } from '../errors/errors.js'
import { errorOf, fromPort } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import { type LongWrite, longWrite } from '../method/method.js'
import { targetOf } from '../method/target.js'
import { reportFault } from '../observing/observer.js'
import { allObjects } from '../reading/all-objects.js'
import { record } from '../recording/snapshot.js'
import { transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { pause, retryDeadline } from '../waiting/pause.js'
import { raceAbort } from '../waiting/race-abort.js'
import { yieldToEventLoop } from '../waiting/yield-to-event-loop.js'
import { open, seal } from './client-secret.js'

/** Progress of `resealSecrets` of all providers, after each of them. */
export interface ResealProgress {
  /** Providers that were handled, with or without success. */
  readonly done: number
  /** Providers of the organization. */
  readonly total: number
}

/** Result of `resealSecrets`. */
export interface ResealReport {
  /** Providers whose secret was sealed anew with the current key. */
  readonly resealed: readonly string[]
  /** Providers whose secret already had the current key. */
  readonly unchanged: readonly string[]
  /** Providers whose secret stays as it is because of an error. */
  readonly failed: readonly {
    /** Id of the provider. */
    readonly idpId: string
    /** Why. */
    readonly error: IamError
  }[]
}

const ResealInput = z.strictObject({ idpId: z.optional(IdpId) })

/** Seals the secrets of other keys anew with the current one: one append for each provider. */
export const resealSecrets = (
  runtime: Runtime,
): LongWrite<z.input<typeof ResealInput>, ResealProgress, ResealReport> =>
  longWrite(
    runtime,
    {
      method: 'identityProviders.resealSecrets',
      permissions: ['identity_provider.write'],
      schema: ResealInput,
      target: targetOf(identityProviders),
      refuses: ['expectedSequence', 'idempotencyKey', 'dryRun'],
    },
    async (call, { idpId }, onProgress) => {
      if (idpId === undefined) return resealAll(runtime, call, onProgress)
      return (await reseal(runtime, call, idpId)).map((isResealed) => ({
        resealed: isResealed ? [idpId] : [],
        unchanged: isResealed ? [] : [idpId],
        failed: [],
      }))
    },
  )

const resealAll = async (
  runtime: Runtime,
  call: AdmittedCall,
  onProgress: ((progress: ResealProgress) => void) | undefined,
): Promise<Result<ResealReport, IamError>> => {
  const resealed: IdpId[] = []
  const unchanged: IdpId[] = []
  const failed: { idpId: IdpId; error: IamError }[] = []
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
    await yieldToEventLoop()
  }
  return ok({ resealed, unchanged, failed })
}

const idpIdsOf = async (runtime: Runtime, call: AdmittedCall): Promise<readonly IdpId[]> => {
  await runtime.follow({ ...call, consistency: 'strong' })
  const idpIds: IdpId[] = []
  const { orgId } = call
  for await (const { idpId } of allObjects(runtime, { type: 'identity_provider', orgId }))
    idpIds.push(IdpId.parse(idpId))
  return idpIds
}

/** @returns whether the secret was sealed anew */
const reseal = async (
  runtime: Runtime,
  call: AdmittedCall,
  idpId: IdpId,
): Promise<Result<boolean, IamError>> => {
  try {
    const isTooLate = retryDeadline()
    for (let attempts = 1; ; attempts++) {
      const resealed = await resealOnce(runtime, call, idpId)
      if (resealed.isErr()) return err(resealed.error)
      if (resealed.value !== 'secret replaced') return ok(resealed.value === 'resealed')
      if (isTooLate()) return err({ kind: 'Aborted', attempts })
      await pause(attempts, call.signal)
    }
  } catch (thrown) {
    return err(errorOf(thrown))
  }
}

const resealOnce = async (
  runtime: Runtime,
  call: AdmittedCall,
  idpId: IdpId,
): Promise<Result<'resealed' | 'current' | 'secret replaced', IamError>> => {
  const owner = { orgId: call.orgId, idpId }
  const reading = runtime.ledger.read(identityProviders, call.orgId, { idpId })
  const { state } = await raceAbort(reading, call.signal)
  if (!exists(state)) return err({ kind: 'NotFound', object: { type: 'identity_provider', idpId } })
  const replaces = state.clientSecret
  if (await fromPort(() => runtime.secrets.isCurrent(replaces))) return ok('current')
  const sealing = open(runtime, replaces, owner).then((secret) => seal(runtime, secret, owner))
  const clientSecret = await raceAbort(sealing, call.signal)
  const data = { idpId, replaces, clientSecret }
  return transact(runtime, call, {
    decide: (view) => {
      const before = view.read(identityProviders, owner)
      return identityProvider
        .decide({ type: 'ResealClientSecret', data }, before.state)
        .map((events) => ({ records: [record(before, events)] }))
    },
    answer: ({ events }) => (events.length > 0 ? 'resealed' : 'secret replaced'),
  })
}
