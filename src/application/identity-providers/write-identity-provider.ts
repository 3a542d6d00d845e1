import type * as z from 'zod/mini'
import type { IdentityProviderCommand } from '../../domain/identity-provider/commands.js'
import { identityProvider } from '../../domain/identity-provider/decider.js'
import { identityProviderStream } from '../../domain/identity-provider/events.js'
import { identityProviders } from '../../domain/identity-provider/kind.js'
import { IdpId, type SealedSecret } from '../../domain/values.js'
import type { AdmittedCall } from '../method/context.js'
import { type Write, write } from '../method/method.js'
import { targetIdp } from '../method/target.js'
import { record } from '../recording/snapshot.js'
import { writeObject } from '../recording/write-object.js'
import type { Runtime } from '../runtime.js'
import { raceAbort } from '../waiting/race-abort.js'
import { recordsSecret, seal } from './client-secret.js'
import { AddOidcInput } from './identity-provider-input.js'

/** The id of an identity provider, as every outcome calls it. */
export interface IdentityProviderIds {
  /** The own id that was given, or a ULID. */
  readonly idpId: string
}

/** The method that adds a provider. */
export const addOidcIdentityProvider = (
  runtime: Runtime,
): Write<AddOidcInput, IdentityProviderIds> =>
  write(
    runtime,
    {
      method: 'identityProviders.addOidc',
      permissions: ['identity_provider.write'],
      schema: AddOidcInput,
      target: targetIdp,
      refuses: ['expectedSequence'],
    },
    async (call, { clientSecret: secret, ...input }) => {
      const idpId = input.idpId ?? IdpId.parse(runtime.newId())
      const sealed = seal(runtime, secret, { orgId: call.orgId, idpId })
      const data = { ...input, idpId, clientSecret: await raceAbort(sealed, call.signal) }
      const command = { type: 'AddOidcIdentityProvider', data } as const
      return recordCommand(runtime, call, { input, secret, command })
    },
  )

/** The input of a command of an existing provider, perhaps with a secret in plain text; empty for none. */
interface ChangeInput {
  readonly idpId: IdpId
  readonly clientSecret?: string
}

interface Change<Schema extends z.ZodMiniType> {
  readonly method: string
  readonly schema: Schema
  readonly command: (
    data: Omit<z.output<Schema>, 'clientSecret'> & { readonly clientSecret?: SealedSecret },
  ) => IdentityProviderCommand
}

/** The method that changes an existing provider. */
export const changeIdentityProvider = <Schema extends z.ZodMiniType<ChangeInput>>(
  runtime: Runtime,
  { method, schema, command }: Change<Schema>,
): Write<z.input<Schema>, IdentityProviderIds> =>
  write(
    runtime,
    { method, permissions: ['identity_provider.write'], schema, target: targetIdp },
    async (call, { clientSecret: secret = '', ...input }) => {
      if (secret === '')
        return recordCommand(runtime, call, { input, secret, command: command(input) })
      const sealed = seal(runtime, secret, { orgId: call.orgId, idpId: input.idpId })
      const data = { ...input, clientSecret: await raceAbort(sealed, call.signal) }
      return recordCommand(runtime, call, { input, secret, command: command(data) })
    },
  )

const recordCommand = (
  runtime: Runtime,
  call: AdmittedCall,
  {
    input,
    secret,
    command,
  }: {
    readonly input: object
    /** The secret of the command in plain text; empty for none. */
    readonly secret: string
    readonly command: IdentityProviderCommand
  },
) => {
  const { orgId } = call
  const ids = (stream: string) => ({
    idpId: stream.slice(identityProviderStream(orgId, '').length),
  })
  return writeObject(runtime, call, {
    input,
    kind: identityProviders,
    decide: (view) => {
      const { type, data } = command
      const before =
        type === 'AddOidcIdentityProvider'
          ? view.readNew(identityProviders, data)
          : view.read(identityProviders, data)
      return identityProvider
        .decide(command, before.state)
        .map((events) => [record(before, events)])
    },
    ids,
    isSameSecret: (events) => {
      const owner = { orgId, ...ids(events[0]?.stream ?? '') }
      return recordsSecret(runtime, events, { secret, owner })
    },
  })
}
