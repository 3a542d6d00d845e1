import { err, ok } from 'neverthrow'
import { exists } from '../../domain/decider.js'
import { identityProviders } from '../../domain/identity-provider/kind.js'
import type { ObjectDetails } from '../../ports/read-model.js'
import { type Read, read } from '../method/method.js'
import { targetOf } from '../method/target.js'
import { detailsOf } from '../recording/snapshot.js'
import type { Runtime } from '../runtime.js'
import { open } from './client-secret.js'

/** A client secret in plain text. */
export interface RevealedSecret {
  /** 1 to 200 characters (code points), as given. */
  readonly clientSecret: string
  /** Those of the provider when the secret was read; with the same `sequence`, `get` shows the provider of this secret. */
  readonly details: ObjectDetails
}

/**
 * Opens the stored secret of a provider. Read models hold no secrets, so it is read from the store, whatever
 * the `consistency`: the secret that was stored when the call began, or a later one.
 */
export const revealClientSecret = (
  runtime: Runtime,
): Read<{ readonly idpId: string }, RevealedSecret> =>
  read(
    runtime,
    {
      method: 'identityProviders.revealClientSecret',
      permissions: ['identity_provider.secret.read'],
      schema: identityProviders.ids,
      target: targetOf(identityProviders),
    },
    async ({ orgId }, { idpId }) => {
      const provider = await runtime.ledger.read(identityProviders, orgId, { idpId })
      const { state } = provider
      if (!exists(state))
        return err({ kind: 'NotFound', object: { type: 'identity_provider', idpId } })
      const clientSecret = await open(runtime, state.clientSecret, { orgId, idpId })
      return ok({ clientSecret, details: detailsOf(provider, orgId) })
    },
  )
