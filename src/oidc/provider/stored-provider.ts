import type { Caller, Iam, IdentityProvider } from '../../index.js'
import { orRefuse } from '../refusal.js'

/** A provider and its secret, as of one event. */
export interface StoredProvider {
  readonly provider: IdentityProvider
  readonly clientSecret: string
}

/** Reads until both are of one event: a new secret must never go to an old issuer. @throws Refused */
export const storedProvider = async (
  { identityProviders }: Pick<Iam, 'identityProviders'>,
  context: { readonly caller: Caller; readonly orgId: string },
  idpId: string,
): Promise<StoredProvider> => {
  for (;;) {
    const revealed = await orRefuse(identityProviders.revealClientSecret({ idpId }, context))
    const provider = await orRefuse(identityProviders.get({ idpId }, context))
    const { clientSecret, details } = revealed
    if (provider.details.sequence === details.sequence) return { provider, clientSecret }
  }
}
