import { sealedSecretIn } from '../../domain/identity-provider/secret.js'
import { SealedSecret } from '../../domain/values.js'
import type { KnownEvent } from '../../ports/known-event.js'
import type { SecretOwner } from '../../ports/secret-cipher.js'
import { Fault, fromPort } from '../errors/fault.js'
import type { Runtime } from '../runtime.js'

/**
 * Seals a secret for one identity provider.
 * @throws Fault also when the cipher answers no text: such an event could not be read again
 */
export const seal = (
  { secrets }: Runtime,
  secret: string,
  owner: SecretOwner,
): Promise<SealedSecret> =>
  fromPort(async () => SealedSecret.parse(await secrets.seal(secret, owner)))

/** Opens the secret of an identity provider. @throws Fault when it cannot be opened */
export const open = (
  { secrets }: Runtime,
  sealed: SealedSecret,
  owner: SecretOwner,
): Promise<string> =>
  fromPort(async () => {
    const opened = await secrets.open(sealed, owner)
    if (opened.isErr()) throw new Fault(opened.error)
    return opened.value
  })

/** Whether the secret in `events` of `orgId` is `secret`; when it is empty, whether they hold none. */
export const recordsSecret = async (
  runtime: Runtime,
  events: readonly KnownEvent[],
  { orgId, secret }: { readonly orgId: string; readonly secret: string },
): Promise<boolean> => {
  const sealed = events.map(sealedSecretIn).find(Boolean)
  if (!sealed || secret === '') return !sealed && secret === ''
  const { idpId, clientSecret } = sealed
  return (await open(runtime, clientSecret, { orgId, idpId })) === secret
}
