import type * as z from 'zod/mini'
import type { IdentityProviderCommand } from '../../domain/identity-provider/commands.js'
import { identityProvider } from '../../domain/identity-provider/decider.js'
import { identityProviders } from '../../domain/identity-provider/kind.js'
import type { IdpId, SealedSecret } from '../../domain/values.js'
import { type Write, write } from '../method/method.js'
import { targetIdp } from '../method/target.js'
import { record } from '../recording/snapshot.js'
import { writeObject } from '../recording/write-object.js'
import type { Runtime } from '../runtime.js'
import { raceAbort } from '../waiting/race-abort.js'
import type { IdentityProviderIds } from './change-identity-provider.js'
import { recordsSecret, seal } from './client-secret.js'

/** Of a provider that exists, with a secret in plain text; an empty one is none. */
interface WithSecret {
  readonly idpId: IdpId
  readonly clientSecret: string
}

/** What tells the commands that may carry a secret apart. */
interface Change<Data extends z.ZodMiniType<WithSecret>> {
  readonly method: string
  readonly schema: Data
  readonly command: (
    data: Omit<z.output<Data>, 'clientSecret'> & { readonly clientSecret?: SealedSecret },
  ) => IdentityProviderCommand
}

/** A command, perhaps with a secret, of an identity provider that exists. */
export const changeWithSecret = <Data extends z.ZodMiniType<WithSecret>>(
  runtime: Runtime,
  { method, schema, command }: Change<Data>,
): Write<z.input<Data>, IdentityProviderIds> =>
  write(
    runtime,
    { method, permissions: ['identity_provider.write'], schema, target: targetIdp },
    async (call, { clientSecret: secret, ...input }) => {
      const { idpId } = input
      const owner = { orgId: call.orgId, idpId }
      const sealed = secret === '' ? undefined : seal(runtime, secret, owner)
      const clientSecret = sealed && (await raceAbort(sealed, call.signal))
      const data = clientSecret === undefined ? input : { ...input, clientSecret }
      return writeObject(runtime, call, {
        input,
        kind: identityProviders,
        decide: (view) => {
          const before = view.read(identityProviders, owner)
          return identityProvider
            .decide(command(data), before.state)
            .map((events) => [record(before, events)])
        },
        ids: () => ({ idpId }),
        isSameSecret: (events) => recordsSecret(runtime, events, { secret, owner }),
      })
    },
  )
