import * as z from 'zod/mini'
import { PatchIdentityProvider } from '../domain/identity-provider/commands.js'
import type { Patch } from '../domain/message.js'
import { text } from '../domain/values.js'
import type { IdentityProviderIds } from './change-identity-provider.js'
import { changeWithSecret } from './change-with-secret.js'
import type { GivenAppearance } from './given-identity-provider.js'
import type { Write } from './method.js'
import type { Runtime } from './runtime.js'
import type { UpdateOidcConfigInput } from './update-oidc-config.js'

/** {@link PatchIdentityProvider}; an empty secret is not given. */
export const PatchIdentityProviderInput = z.extend(PatchIdentityProvider.shape.data, {
  clientSecret: z._default(text, ''),
})
export interface PatchIdentityProviderInput
  extends Pick<UpdateOidcConfigInput, 'idpId'>,
    Patch<Omit<UpdateOidcConfigInput, 'idpId'>>,
    Patch<GivenAppearance> {}

/** @see PatchIdentityProvider */
export const patchIdentityProvider = (
  runtime: Runtime,
): Write<PatchIdentityProviderInput, IdentityProviderIds> =>
  changeWithSecret(runtime, {
    method: 'identityProviders.patch',
    schema: PatchIdentityProviderInput,
    command: (data) => ({ type: 'PatchIdentityProvider', data }),
  })
