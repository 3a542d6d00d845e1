import type * as z from 'zod/mini'
import type { IdentityProviderCommand } from '../../domain/identity-provider/commands.js'
import { identityProviders } from '../../domain/identity-provider/kind.js'
import { IdpId, type SealedSecret } from '../../domain/values.js'
import type { AdmittedCall } from '../method/context.js'
import { type Write, write } from '../method/method.js'
import type { Runtime } from '../runtime.js'
import { raceAbort } from '../waiting/race-abort.js'
import { recordCommand, specOf } from '../writing/write-command.js'
import { recordsSecret, seal } from './client-secret.js'
import { AddOidcInput, type IdentityProviderIds } from './identity-provider-input.js'

/** The method that adds a provider. */
export const addOidcIdentityProvider = (
  runtime: Runtime,
): Write<AddOidcInput, IdentityProviderIds> =>
  write(
    runtime,
    specOf(identityProviders, {
      method: 'identityProviders.addOidc',
      schema: AddOidcInput,
      isNew: true,
    }),
    async (call, { clientSecret: secret, ...input }) => {
      const idpId = input.idpId ?? IdpId.parse(runtime.newId())
      const sealed = seal(runtime, secret, { orgId: call.orgId, idpId })
      const data = { ...input, idpId, clientSecret: await raceAbort(sealed, call.signal) }
      const command = { type: 'AddOidcIdentityProvider', data } as const
      return recordSecret(runtime, call, { input, secret, command })
    },
  )

/** The input of a command of an existing provider, with a secret in plain text; empty for none. */
interface ChangeInput {
  readonly idpId: IdpId
  readonly clientSecret: string
}

interface Change<Schema extends z.ZodMiniType> {
  readonly method: string
  readonly schema: Schema
  readonly command: (
    data: Omit<z.output<Schema>, 'clientSecret'> & { readonly clientSecret?: SealedSecret },
  ) => IdentityProviderCommand
}

/** The method that changes an existing provider, and perhaps its secret. */
export const changeClientSecret = <Schema extends z.ZodMiniType<ChangeInput>>(
  runtime: Runtime,
  { method, schema, command }: Change<Schema>,
): Write<z.input<Schema>, IdentityProviderIds> =>
  write(
    runtime,
    specOf(identityProviders, { method, schema, isNew: false }),
    async (call, { clientSecret: secret, ...input }) => {
      if (secret === '')
        return recordSecret(runtime, call, { input, secret, command: command(input) })
      const sealed = seal(runtime, secret, { orgId: call.orgId, idpId: input.idpId })
      const data = { ...input, clientSecret: await raceAbort(sealed, call.signal) }
      return recordSecret(runtime, call, { input, secret, command: command(data) })
    },
  )

interface SecretCommand {
  readonly input: object
  /** The secret of the command in plain text; empty for none. */
  readonly secret: string
  readonly command: IdentityProviderCommand
}

const recordSecret = (
  runtime: Runtime,
  call: AdmittedCall,
  { input, secret, command }: SecretCommand,
) =>
  recordCommand(runtime, call, {
    kind: identityProviders,
    input,
    command,
    isNew: command.type === 'AddOidcIdentityProvider',
    ids: ({ idpId }): IdentityProviderIds => ({ idpId }),
    isSameSecret: (events) => recordsSecret(runtime, events, { orgId: call.orgId, secret }),
  })
