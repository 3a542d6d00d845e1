import type * as z from 'zod/mini'
import type { IdentityProviderCommand } from '../../domain/identity-provider/commands.js'
import { identityProviderStream } from '../../domain/identity-provider/events.js'
import { type Write, write } from '../method/method.js'
import { targetIdp } from '../method/target.js'
import { transact } from '../recording/transact.js'
import type { Runtime } from '../runtime.js'

/** The id of an identity provider, as every outcome calls it. */
export interface IdentityProviderIds {
  /** The own id that was given, or a ULID. */
  readonly idpId: string
}

/** What tells the commands of an identity provider that exists apart. */
interface Change<Data extends z.ZodMiniType> {
  readonly method: string
  readonly schema: Data
  readonly command: (data: z.output<Data>) => IdentityProviderCommand
}

/** A command, without a secret, of an identity provider that exists. */
export const changeIdentityProvider = <Data extends z.ZodMiniType<IdentityProviderCommand['data']>>(
  runtime: Runtime,
  { method, schema, command }: Change<Data>,
): Write<z.input<Data>, IdentityProviderIds> =>
  write(
    runtime,
    { method, permissions: ['identity_provider.write'], schema, target: targetIdp },
    (call, input) => {
      const { idpId } = input
      const idp = runtime.identityProviders.track(identityProviderStream(call.orgId, idpId))
      return transact(runtime, call, {
        command: { method, input },
        object: idp,
        writes: [idp],
        decide: () => idp.decide(command(input)),
        ids: () => ({ idpId }),
      })
    },
  )
