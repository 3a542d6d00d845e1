import { SealedSecret } from '../../domain/values.js'
import type { RecordedEvent } from '../../ports/event-store.js'
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

/** Whether the secret in `events` is `secret`; when it is empty, whether they hold none. */
export const recordsSecret = async (
  runtime: Runtime,
  events: readonly RecordedEvent[],
  { secret, owner }: { readonly secret: string; readonly owner: SecretOwner },
): Promise<boolean> => {
  const sealed = events.map(({ data }) => Reflect.get(data, 'clientSecret')).find(Boolean)
  if (sealed === undefined || secret === '') return sealed === undefined && secret === ''
  return (await open(runtime, SealedSecret.parse(sealed), owner)) === secret
}
