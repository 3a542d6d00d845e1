import { readerOf } from '../aggregate.js'
import type { Message } from '../message.js'
import type { IdpId, SealedSecret } from '../values.js'
import { IdentityProviderEvent } from './events.js'

/** Whether an event belongs to an identity provider. */
export const isOfIdentityProvider = readerOf<IdentityProviderEvent>(
  IdentityProviderEvent.def.options,
)

/** The sealed secret in an event, and its provider; undefined when the event has none. */
export const sealedSecretIn = (
  event: Message,
): { readonly idpId: IdpId; readonly clientSecret: SealedSecret } | undefined => {
  if (!isOfIdentityProvider(event) || !('clientSecret' in event.data)) return undefined
  const { idpId, clientSecret } = event.data
  return { idpId, clientSecret }
}
