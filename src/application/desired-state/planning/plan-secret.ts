import type { IdpId, SealedSecret } from '../../../domain/values.js'
import { fromPort } from '../../errors/fault.js'
import { seal } from '../../identity-providers/client-secret.js'
import type { AdmittedCall } from '../../method/context.js'
import { isPermitted } from '../../method/method.js'
import type { Runtime } from '../../runtime.js'

/** How a declared secret shows in a plan; with its seal, when it is to be recorded. */
export type PlannedSecret =
  | { readonly shows: 'set' | 'changed'; readonly sealed: SealedSecret }
  | { readonly shows: 'unchanged' }

/**
 * Compares a declared secret with the `stored` one. Who may not read that one learns nothing of it:
 * the declared one then counts as a change, as it does when the stored one cannot be opened.
 */
export const planSecret = async (
  runtime: Runtime,
  call: AdmittedCall,
  secret: {
    readonly idpId: IdpId
    readonly declared: string
    readonly stored: SealedSecret | undefined
  },
): Promise<PlannedSecret> => {
  const { idpId, declared, stored } = secret
  const owner = { orgId: call.orgId, idpId }
  if (stored === undefined) return { shows: 'set', sealed: await seal(runtime, declared, owner) }
  const object = { type: 'identity_provider', id: idpId } as const
  const permission = 'identity_provider.secret.read'
  if ((await isPermitted(runtime, call, { permission, object })) === true) {
    const opened = await fromPort(() => runtime.secrets.open(stored, owner))
    if (opened.isOk() && opened.value === declared) return { shows: 'unchanged' }
  }
  return { shows: 'changed', sealed: await seal(runtime, declared, owner) }
}
