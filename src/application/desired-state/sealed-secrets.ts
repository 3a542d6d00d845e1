import { err, ok, type Result } from 'neverthrow'
import { identityProviders } from '../../domain/identity-provider/aggregate.js'
import type { IdpId, SealedSecret } from '../../domain/values.js'
import { streamOf } from '../../projections/read-events.js'
import { type InvalidArgument, invalid } from '../errors/errors.js'
import { type PermitRoles, rolePermits } from '../grant-rules/current-roles.js'
import { seal } from '../identity-providers/client-secrets.js'
import type { AdmittedCall } from '../method/context.js'
import { isPermitted } from '../method/method.js'
import type { Runtime } from '../runtime.js'
import { fromPort, raceAbort } from '../waiting.js'
import type { ParsedAccess, ParsedProvider, ParsedSealedAccess } from './declared/desired-access.js'
import type { ParsedPlan } from './plan/plan.js'

/** A desired state that is planned for a call. */
export interface Planning {
  readonly runtime: Runtime
  readonly call: AdmittedCall
  readonly access: ParsedSealedAccess
  readonly secrets: ReadonlyMap<IdpId, DeclaredSecret>
  /** Calls `authorize` with the roles of grants. */
  readonly permit: PermitRoles
}

interface DeclaredSecret {
  readonly plain: string
  readonly sealed: SealedSecret
  /** For a given plan: whether it shows the secret as unchanged. */
  readonly isShownUnchanged?: boolean
}

/** Secret of a provider that is added as inactive without one. */
const NOT_SET = 'not set'

/** Seals the secrets of a desired state. */
export const sealAccess = async (
  runtime: Runtime,
  call: AdmittedCall,
  { identityProviders, ...access }: ParsedAccess,
): Promise<Planning> => {
  const secrets = new Map<IdpId, DeclaredSecret>()
  const sealedProviders: ParsedProvider[] = []
  for (const { clientSecret, ...provider } of identityProviders ?? []) {
    const { idpId, initialState } = provider
    const plain = clientSecret ?? (initialState === 'inactive' ? NOT_SET : undefined)
    if (plain === undefined) {
      sealedProviders.push(provider)
      continue
    }
    const sealing = seal(runtime, plain, { orgId: call.orgId, idpId })
    const sealed = await raceAbort(sealing, call.signal)
    secrets.set(idpId, { plain, sealed })
    sealedProviders.push({ ...provider, sealedSecret: sealed })
  }
  const sealedAccess = identityProviders && { identityProviders: sealedProviders }
  const permit = rolePermits(runtime, call)
  return { runtime, call, access: { ...access, ...sealedAccess }, secrets, permit }
}

/** Opens the secrets of a given plan. Each must be sealed for its provider, by the current key. */
export const openAccess = async (
  runtime: Runtime,
  call: AdmittedCall,
  { desired: access, changes }: ParsedPlan,
): Promise<Result<Planning, InvalidArgument>> => {
  const shownUnchanged = new Set(
    changes.flatMap(({ object, fields }) =>
      fields.some((field) => 'secret' in field && field.secret === 'unchanged')
        ? streamOf('', object)
        : [],
    ),
  )
  const secrets = new Map<IdpId, DeclaredSecret>()
  const declared = access.identityProviders ?? []
  for (const [index, { idpId, sealedSecret: sealed }] of declared.entries()) {
    if (sealed === undefined) continue
    const opening = fromPort(async () => {
      const opened = await runtime.secrets.open(sealed, { orgId: call.orgId, idpId })
      // A secret of an earlier key would be missed by a reseal that ran before that key is dropped.
      return opened.isOk() && runtime.secrets.isCurrent(sealed) ? opened.value : undefined
    })
    const plain = await raceAbort(opening, call.signal)
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
  return ok({ runtime, call, access, secrets, permit: rolePermits(runtime, call) })
}

/**
 * The declared secret of an existing provider, and whether it is stored already; undefined if none is declared. A
 * stored secret that cannot be decrypted counts as different. For a caller who may not read it, the declared secret is
 * set, or the given plan decides.
 */
export const secretOf = async (
  { runtime, call, secrets }: Planning,
  { idpId, initialState }: Pick<ParsedProvider, 'idpId' | 'initialState'>,
  stored: SealedSecret,
): Promise<{ readonly sealed: SealedSecret; readonly isStored: boolean } | undefined> => {
  const secret = secrets.get(idpId)
  if (!secret || (secret.plain === NOT_SET && initialState === 'inactive')) return undefined
  const { plain, sealed, isShownUnchanged } = secret
  if (isShownUnchanged === false) return { sealed, isStored: false }
  const object = { type: 'identity_provider', id: idpId } as const
  const permission = 'identity_provider.secret.read'
  if ((await isPermitted(runtime, call, { permission, object })) !== true)
    return { sealed, isStored: isShownUnchanged === true }
  const opened = await fromPort(() => runtime.secrets.open(stored, { orgId: call.orgId, idpId }))
  return { sealed, isStored: opened.isOk() && opened.value === plain }
}
