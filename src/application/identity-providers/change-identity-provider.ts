import type * as z from 'zod/mini'
import type { IdentityProviderCommand } from '../../domain/identity-provider/commands.js'
import { identityProvider } from '../../domain/identity-provider/decider.js'
import { identityProviders } from '../../domain/identity-provider/kind.js'
import { type Write, write } from '../method/method.js'
import { targetIdp } from '../method/target.js'
import { record } from '../recording/snapshot.js'
import { writeObject } from '../recording/write-object.js'
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
    (call, input) =>
      writeObject(runtime, call, {
        input,
        kind: identityProviders,
        decide: (view) => {
          const before = view.read(identityProviders, input)
          return identityProvider
            .decide(command(input), before.state)
            .map((events) => [record(before, events)])
        },
        ids: () => ({ idpId: input.idpId }),
      }),
  )
