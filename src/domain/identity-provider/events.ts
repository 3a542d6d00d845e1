// Storage contract: names and shapes below are persisted for ever. Add to them; never change one.
import * as z from 'zod/mini'
import { event, type MessageOf, type Upcasters } from '../message.js'
import { IdpId, SealedSecret, type StreamId } from '../values.js'
import type {
  AddedIdentityProvider,
  IdentityProviderKey,
  ResealedSecret,
  UpdatedAppearance,
  UpdatedOidcConfig,
} from './commands.js'

/** One stream per identity provider. */
export const identityProviderStream = (orgId: string, idpId: string): StreamId =>
  `identity_provider-${orgId}+${idpId}`

const id = { idpId: IdpId }

const appearance = {
  name: z.string(),
  stylingType: z.enum(['STYLING_TYPE_UNSPECIFIED', 'STYLING_TYPE_GOOGLE']),
  autoRegister: z.boolean(),
}

const mappingField = z.enum([
  'OIDC_MAPPING_FIELD_UNSPECIFIED',
  'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  'OIDC_MAPPING_FIELD_EMAIL',
])

const oidc = {
  clientId: z.string(),
  issuer: z.string(),
  scopes: z.readonly(z.array(z.string())),
  displayNameMapping: mappingField,
  usernameMapping: mappingField,
}

/** An OIDC identity provider came to be. */
export const OidcIdentityProviderAdded = event('identity_provider.oidc_added', {
  ...id,
  ...appearance,
  ...oidc,
  clientSecret: SealedSecret,
})
export interface OidcIdentityProviderAdded
  extends MessageOf<'identity_provider.oidc_added', AddedIdentityProvider> {}

/** The OIDC configuration was replaced. */
export const OidcConfigUpdated = event('identity_provider.oidc_config_updated', {
  ...id,
  ...oidc,
  clientSecret: z.exactOptional(SealedSecret),
})
export interface OidcConfigUpdated
  extends MessageOf<'identity_provider.oidc_config_updated', UpdatedOidcConfig> {}

/** Name, styling and registration of unknown users were replaced. */
export const IdentityProviderUpdated = event('identity_provider.updated', { ...id, ...appearance })
export interface IdentityProviderUpdated
  extends MessageOf<'identity_provider.updated', UpdatedAppearance> {}

/** A provider is kept from being used. */
export const IdentityProviderDeactivated = event('identity_provider.deactivated', id)
export interface IdentityProviderDeactivated
  extends MessageOf<'identity_provider.deactivated', IdentityProviderKey> {}

/** A provider may be used again. */
export const IdentityProviderReactivated = event('identity_provider.reactivated', id)
export interface IdentityProviderReactivated
  extends MessageOf<'identity_provider.reactivated', IdentityProviderKey> {}

/** A provider ceased to be. */
export const IdentityProviderRemoved = event('identity_provider.removed', id)
export interface IdentityProviderRemoved
  extends MessageOf<'identity_provider.removed', IdentityProviderKey> {}

/** The same secret was put under another seal. */
export const ClientSecretResealed = event('identity_provider.secret_resealed', {
  ...id,
  clientSecret: SealedSecret,
})
export interface ClientSecretResealed
  extends MessageOf<'identity_provider.secret_resealed', ResealedSecret> {}

/** Any event of an identity provider's stream. */
export const IdentityProviderEvent = z.discriminatedUnion('type', [
  OidcIdentityProviderAdded,
  OidcConfigUpdated,
  IdentityProviderUpdated,
  IdentityProviderDeactivated,
  IdentityProviderReactivated,
  IdentityProviderRemoved,
  ClientSecretResealed,
])
export type IdentityProviderEvent =
  | OidcIdentityProviderAdded
  | OidcConfigUpdated
  | IdentityProviderUpdated
  | IdentityProviderDeactivated
  | IdentityProviderReactivated
  | IdentityProviderRemoved
  | ClientSecretResealed

/** Every shape is still the first one. */
export const identityProviderUpcasters: Upcasters = {}
