import { err, ok, type Result } from 'neverthrow'
import type { Caller, Iam, IamError, IdentityProvider } from '../../index.js'

/** A provider and its secret, as of one event. */
export interface StoredProvider {
  readonly provider: IdentityProvider
  readonly clientSecret: string
}

/** Reads until both are of one event: a new secret must never go to an old issuer. */
export const storedProvider = async (
  { identityProviders }: Pick<Iam, 'identityProviders'>,
  context: { readonly caller: Caller; readonly orgId: string },
  idpId: string,
): Promise<Result<StoredProvider, IamError>> => {
  for (;;) {
    const revealed = await identityProviders.revealClientSecret({ idpId }, context)
    if (revealed.isErr()) return err(revealed.error)
    const shown = await identityProviders.get({ idpId }, context)
    if (shown.isErr()) return err(shown.error)
    const { clientSecret, details } = revealed.value
    if (shown.value.details.sequence === details.sequence)
      return ok({ provider: shown.value, clientSecret })
  }
}
