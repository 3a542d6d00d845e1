import * as z from 'zod/mini'
import { UpdateOidcConfig } from '../domain/identity-provider/commands.js'
import { identityProviderStream } from '../domain/identity-provider/events.js'
import { text } from '../domain/values.js'
import type { IdentityProviderIds } from './change-identity-provider.js'
import { recordsSecret, seal } from './client-secret.js'
import { type Write, write } from './method.js'
import { orCancelled } from './or-cancelled.js'
import type { Runtime } from './runtime.js'
import { targetIdp } from './target.js'
import { transact } from './transact.js'

/** {@link UpdateOidcConfig}; an empty secret leaves the stored one unchanged. */
export const UpdateOidcConfigInput = z.extend(UpdateOidcConfig.shape.data, {
  /** In plain text; sealed before anything is decided or recorded. */
  clientSecret: z._default(text, ''),
})
export interface UpdateOidcConfigInput extends z.input<typeof UpdateOidcConfigInput> {}

/** @see UpdateOidcConfig */
export const updateOidcConfig = (
  runtime: Runtime,
): Write<UpdateOidcConfigInput, IdentityProviderIds> =>
  write(
    runtime,
    {
      method: 'identityProviders.updateOidcConfig',
      permissions: ['identity_provider.write'],
      schema: UpdateOidcConfigInput,
      target: targetIdp,
    },
    async (session, { clientSecret: secret, ...input }) => {
      const { idpId } = input
      const owner = { orgId: session.orgId, idpId }
      const idp = runtime.identityProviders.track(identityProviderStream(owner.orgId, idpId))
      const sealed = secret === '' ? undefined : seal(runtime, secret, owner)
      const clientSecret = sealed && (await orCancelled(sealed, session.signal))
      const data = clientSecret === undefined ? input : { ...input, clientSecret }
      return transact(runtime, session, {
        command: { method: session.method, input },
        object: idp,
        writes: [idp],
        decide: () => idp.decide({ type: 'UpdateOidcConfig', data }),
        ids: () => ({ idpId }),
        isSameSecret: (events) => recordsSecret(runtime, events, { secret, owner }),
      })
    },
  )
