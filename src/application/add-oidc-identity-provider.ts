import * as z from 'zod/mini'
import { AddOidcIdentityProvider } from '../domain/identity-provider/commands.js'
import { identityProviderStream } from '../domain/identity-provider/events.js'
import { IdpId, requiredText } from '../domain/values.js'
import type { IdentityProviderIds } from './change-identity-provider.js'
import { recordsSecret, seal } from './client-secret.js'
import { type Write, write } from './method.js'
import { orCancelled } from './or-cancelled.js'
import type { Runtime } from './runtime.js'
import { targetIdp } from './target.js'
import { transact } from './transact.js'

/** {@link AddOidcIdentityProvider}; without an own `idpId` the provider gets a new ULID. */
export const AddOidcInput = z.extend(AddOidcIdentityProvider.shape.data, {
  idpId: z.optional(IdpId),
  /** In plain text; sealed before anything is decided or recorded. */
  clientSecret: requiredText,
})
export interface AddOidcInput extends z.input<typeof AddOidcInput> {}

/** @see AddOidcIdentityProvider */
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
    async (session, { clientSecret: secret, ...input }) => {
      const { orgId } = session
      const idOf = (stream: string) => stream.slice(identityProviderStream(orgId, '').length)
      const idpId = input.idpId ?? IdpId.parse(runtime.newId())
      const idp = runtime.identityProviders.track(identityProviderStream(orgId, idpId), true)
      const sealed = seal(runtime, secret, { orgId, idpId })
      const clientSecret = await orCancelled(sealed, session.signal)
      const data = { ...input, idpId, clientSecret }
      return transact(runtime, session, {
        command: { method: session.method, input },
        object: idp,
        writes: [idp],
        decide: () => idp.decide({ type: 'AddOidcIdentityProvider', data }),
        ids: (stream) => ({ idpId: idOf(stream) }),
        isSameSecret: (events) => {
          const owner = { orgId, idpId: events[0] ? idOf(events[0].stream) : idpId }
          return recordsSecret(runtime, events, { secret, owner })
        },
      })
    },
  )
