import type { IdpId, SealedSecret } from '../../../domain/values.js'
import { fromPort } from '../../errors/fault.js'
import { seal } from '../../identity-providers/client-secrets.js'
import type { AdmittedCall } from '../../method/context.js'
import { isPermitted } from '../../method/method.js'
import type { Runtime } from '../../runtime.js'

/**
 * Seals a declared secret; undefined when it equals the `stored` one. It counts as different when the caller may
 * not read the stored secret, or when that cannot be opened.
 */
export const sealIfChanged = async (
  runtime: Runtime,
  call: AdmittedCall,
  secret: {
    readonly idpId: IdpId
    readonly declared: string
    readonly stored: SealedSecret | undefined
  },
): Promise<SealedSecret | undefined> => {
  const { idpId, declared, stored } = secret
  const owner = { orgId: call.orgId, idpId }
  const object = { type: 'identity_provider', id: idpId } as const
  const permission = 'identity_provider.secret.read'
  if (stored !== undefined && (await isPermitted(runtime, call, { permission, object })) === true) {
    const opened = await fromPort(() => runtime.secrets.open(stored, owner))
    if (opened.isOk() && opened.value === declared) return undefined
  }
  return seal(runtime, declared, owner)
}
