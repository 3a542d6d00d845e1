import { err, ok } from 'neverthrow'
import { exists } from '../../domain/decider.js'
import { identityProviders } from '../../domain/identity-provider/kind.js'
import { type Read, read } from '../method/method.js'
import { targetOf } from '../method/target.js'
import type { Runtime } from '../runtime.js'
import { open } from './client-secret.js'

/** A client secret in plain text. */
export interface RevealedSecret {
  /** 1 to 200 characters (code points), as given. */
  readonly clientSecret: string
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
      const { state } = await runtime.ledger.read(identityProviders, orgId, { idpId })
      if (!exists(state))
        return err({ kind: 'NotFound', object: { type: 'identity_provider', idpId } })
      return ok({ clientSecret: await open(runtime, state.clientSecret, { orgId, idpId }) })
    },
  )
