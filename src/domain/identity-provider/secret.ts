import { readerOf } from '../kind.js'
import type { Message } from '../message.js'
import type { IdpId, SealedSecret } from '../values.js'
import { IdentityProviderEvent } from './events.js'

/** Whether an event is one of an identity provider. */
export const isOfIdentityProvider = readerOf<IdentityProviderEvent>(
  IdentityProviderEvent.def.options,
)

/** The sealed secret that an event has, and the provider it belongs to; undefined when it has none. */
export const sealedSecretIn = (
  event: Message,
): { readonly idpId: IdpId; readonly clientSecret: SealedSecret } | undefined => {
  if (!isOfIdentityProvider(event) || !('clientSecret' in event.data)) return undefined
  const { idpId, clientSecret } = event.data
  return { idpId, clientSecret }
}
