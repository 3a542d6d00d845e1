import { err, ok, type Result } from 'neverthrow'
import { identityProviders } from '../../../domain/identity-provider/aggregate.js'
import type { IdpId, SealedSecret } from '../../../domain/values.js'
import { streamOf } from '../../../projections/read-events.js'
import { type InvalidArgument, invalid } from '../../errors/errors.js'
import { fromPort } from '../../errors/fault.js'
import { seal } from '../../identity-providers/client-secrets.js'
import type { AdmittedCall } from '../../method/context.js'
import { isPermitted } from '../../method/method.js'
import type { Runtime } from '../../runtime.js'
import { raceAbort } from '../../waiting.js'
import type {
  ParsedAccess,
  ParsedProvider,
  ParsedSealedAccess,
} from '../declared/desired-access.js'
import type { ParsedPlan } from '../plan/plan.js'

/** A desired state as a plan carries it, with its secrets in plain text to compare them. */
export interface AccessToPlan {
  readonly access: ParsedSealedAccess
  readonly secrets: ReadonlyMap<IdpId, DeclaredSecret>
}

/** A declared secret of a provider. */
export interface DeclaredSecret {
  readonly plain: string
  readonly sealed: SealedSecret
  /** Of a given plan: whether it shows the secret as unchanged. */
  readonly isShownUnchanged?: boolean
}

/** Seals the secrets of a desired state. */
export const sealAccess = async (
  runtime: Runtime,
  { orgId, signal }: AdmittedCall,
  { identityProviders: declared, ...access }: ParsedAccess,
): Promise<AccessToPlan> => {
  const secrets = new Map<IdpId, DeclaredSecret>()
  if (declared === undefined) return { access, secrets }
  const providers: ParsedProvider[] = []
  for (const { clientSecret: plain, ...provider } of declared) {
    const { idpId } = provider
    if (plain === undefined) {
      providers.push(provider)
      continue
    }
    const sealed = await raceAbort(seal(runtime, plain, { orgId, idpId }), signal)
    secrets.set(idpId, { plain, sealed })
    providers.push({ ...provider, sealedSecret: sealed })
  }
  return { access: { ...access, identityProviders: providers }, secrets }
}

/** Opens the secrets of a given plan. Each must be sealed for its provider, by the current key. */
export const openAccess = async (
  { secrets: cipher }: Runtime,
  { orgId, signal }: AdmittedCall,
  { desired: access, changes }: Pick<ParsedPlan, 'desired' | 'changes'>,
): Promise<Result<AccessToPlan, InvalidArgument>> => {
  const shownUnchanged = new Set(
    changes.flatMap(({ object, fields }) =>
      fields.some((field) => 'secret' in field && field.secret === 'unchanged')
        ? streamOf('', object)
        : [],
    ),
  )
  const secrets = new Map<IdpId, DeclaredSecret>()
  for (const [index, { idpId, sealedSecret: sealed }] of (
    access.identityProviders ?? []
  ).entries()) {
    if (sealed === undefined) continue
    const opening = fromPort(async () => {
      const opened = await cipher.open(sealed, { orgId, idpId })
      // A secret of an earlier key would be missed by a reseal that ran before that key is dropped.
      return opened.isOk() && cipher.isCurrent(sealed) ? opened.value : undefined
    })
    const plain = await raceAbort(opening, signal)
    if (plain === undefined)
      return err(
        invalid(
          `desired.identityProviders[${index}].sealedSecret`,
          'must be sealed for this provider, by the current key: plan again',
        ),
      )
    const isShownUnchanged = shownUnchanged.has(identityProviders.stream('', { idpId }))
    secrets.set(idpId, { plain, sealed, isShownUnchanged })
  }
  return ok({ access, secrets })
}

/**
 * Whether a declared secret stays as it is stored. It counts as different when the stored one cannot be opened. A caller
 * who may not read the stored secret sets the declared one, or does what the given plan shows.
 */
export const isSecretKept = async (
  runtime: Runtime,
  call: AdmittedCall,
  secret: {
    readonly idpId: IdpId
    readonly declared: DeclaredSecret
    readonly stored: SealedSecret
  },
): Promise<boolean> => {
  const { idpId, stored } = secret
  const { plain, isShownUnchanged } = secret.declared
  if (isShownUnchanged === false) return false
  const object = { type: 'identity_provider', id: idpId } as const
  const permission = 'identity_provider.secret.read'
  if ((await isPermitted(runtime, call, { permission, object })) !== true)
    return isShownUnchanged === true
  const opened = await fromPort(() => runtime.secrets.open(stored, { orgId: call.orgId, idpId }))
  return opened.isOk() && opened.value === plain
}
