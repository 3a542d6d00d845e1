import { err, ok, type Result } from 'neverthrow'
import * as z from 'zod/mini'
import { exists } from '../../domain/decider.js'
import { identityProvider } from '../../domain/identity-provider/decider.js'
import { identityProviders } from '../../domain/identity-provider/kind.js'
import { IdpId, type SealedSecret } from '../../domain/values.js'
import type { SecretOwner } from '../../ports/secret-cipher.js'
import type { IamError } from '../errors/errors.js'
import { errorOf, fromPort } from '../errors/fault.js'
import type { AdmittedCall } from '../method/context.js'
import { type LongWrite, longWrite } from '../method/method.js'
import { targetIdp } from '../method/target.js'
import { reportFault } from '../observing/observer.js'
import { allObjects } from '../reading/all-objects.js'
import { record } from '../recording/snapshot.js'
import { transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'
import { pause, retryDeadline } from '../waiting/pause.js'
import { raceAbort } from '../waiting/race-abort.js'
import { yieldToEventLoop } from '../waiting/yield-to-event-loop.js'
import { open, seal } from './client-secret.js'

/** How far `resealSecrets` of all providers is, after each of them. */
export interface ResealProgress {
  /** Providers that were dealt with. */
  readonly done: number
  /** Providers there are. */
  readonly total: number
}

/** What `resealSecrets` did. */
export interface ResealReport {
  /** Providers whose secret is under the current key now, and was not before. */
  readonly resealed: readonly string[]
  /** Providers whose secret was under the current key before. */
  readonly unchanged: readonly string[]
  /** Providers whose secret was left as it is, and why. */
  readonly failed: readonly {
    /** Id of the provider. */
    readonly idpId: string
    /** Why. */
    readonly error: IamError
  }[]
}

const ResealInput = z.strictObject({ idpId: z.optional(IdpId) })

/** Puts the secrets that another key sealed under the current one: one append for each provider. */
export const resealSecrets = (
  runtime: Runtime,
): LongWrite<z.input<typeof ResealInput>, ResealProgress, ResealReport> =>
  longWrite(
    runtime,
    {
      method: 'identityProviders.resealSecrets',
      permissions: ['identity_provider.write'],
      schema: ResealInput,
      target: targetIdp,
      refuses: ['expectedSequence', 'idempotencyKey', 'dryRun'],
    },
    async (call, { idpId }, onProgress) => {
      if (idpId !== undefined) return (await reseal(runtime, call, idpId)).map(reportOf(idpId))
      const idpIds = await raceAbort(identityProvidersOf(runtime, call), call.signal)
      const report: ResealReport[] = []
      for (const id of idpIds) {
        if (call.signal?.aborted) return err({ kind: 'Cancelled' })
        const resealed = await reseal(runtime, call, id)
        if (resealed.isErr()) {
          if (resealed.error.kind === 'Cancelled') return err(resealed.error)
          reportFault(runtime.hooks, call.method, resealed.error)
        }
        report.push(
          resealed.match(reportOf(id), (error) => ({ ...NOTHING, failed: [{ idpId: id, error }] })),
        )
        onProgress?.({ done: report.length, total: idpIds.length })
        await yieldToEventLoop()
      }
      return ok(summary(report))
    },
  )

const NOTHING: ResealReport = { resealed: [], unchanged: [], failed: [] }

const reportOf =
  (idpId: string) =>
  (isResealed: boolean): ResealReport =>
    isResealed ? { ...NOTHING, resealed: [idpId] } : { ...NOTHING, unchanged: [idpId] }

const summary = (reports: readonly ResealReport[]): ResealReport => ({
  resealed: reports.flatMap(({ resealed }) => resealed),
  unchanged: reports.flatMap(({ unchanged }) => unchanged),
  failed: reports.flatMap(({ failed }) => failed),
})

const identityProvidersOf = async (
  runtime: Runtime,
  call: AdmittedCall,
): Promise<readonly string[]> => {
  await runtime.follow({ ...call, consistency: 'strong' })
  const idpIds: string[] = []
  const { orgId } = call
  for await (const { idpId } of allObjects(runtime, { type: 'identity_provider', orgId }))
    idpIds.push(idpId)
  return idpIds
}

/** @returns whether the secret was put under another seal */
const reseal = async (
  runtime: Runtime,
  call: AdmittedCall,
  idpId: string,
): Promise<Result<boolean, IamError>> => {
  try {
    const isTooLate = retryDeadline()
    for (let attempts = 1; ; attempts++) {
      const resealed = await resealOnce(runtime, call, IdpId.parse(idpId))
      if (resealed.isErr()) return err(resealed.error)
      if (resealed.value !== 'replaced meanwhile') return ok(resealed.value === 'resealed')
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
): Promise<Result<'resealed' | 'current' | 'replaced meanwhile', IamError>> => {
  const owner = { orgId: call.orgId, idpId }
  const reading = runtime.ledger.read(identityProviders, call.orgId, { idpId })
  const { state } = await raceAbort(reading, call.signal)
  if (!exists(state)) return err({ kind: 'NotFound', object: { type: 'identity_provider', idpId } })
  const replaces = state.clientSecret
  if (await fromPort(() => runtime.secrets.isCurrent(replaces))) return ok('current')
  const clientSecret = await raceAbort(sealAnew(runtime, replaces, owner), call.signal)
  const data = { idpId, replaces, clientSecret }
  return transact(runtime, call, {
    decide: (view) => {
      const before = view.read(identityProviders, owner)
      return identityProvider
        .decide({ type: 'ResealClientSecret', data }, before.state)
        .map((events) => ({ records: [record(before, events)] }))
    },
    answer: ({ events }) => (events.length > 0 ? 'resealed' : 'replaced meanwhile'),
  })
}

const sealAnew = async (
  runtime: Runtime,
  sealed: SealedSecret,
  owner: SecretOwner,
): Promise<SealedSecret> => seal(runtime, await open(runtime, sealed, owner), owner)
