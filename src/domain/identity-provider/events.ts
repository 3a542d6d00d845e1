// Storage contract: names and shapes below are persisted forever. Add to them; never change one.
import * as z from 'zod/mini'
import { event } from '../message.js'
import { IdpId, SealedSecret } from '../values.js'

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

/** An OIDC identity provider was added. */
export const OidcIdentityProviderAdded = event('identity_provider.oidc_added', {
  ...id,
  ...appearance,
  ...oidc,
  clientSecret: SealedSecret,
})
export interface OidcIdentityProviderAdded extends z.infer<typeof OidcIdentityProviderAdded> {
  /** The new values. */
  readonly data: {
    /** Unique within the organization. */
    readonly idpId: IdpId
    /** As `IdentityProvider.name`. */
    readonly name: string
    /** As `IdentityProvider.stylingType`. */
    readonly stylingType: 'STYLING_TYPE_UNSPECIFIED' | 'STYLING_TYPE_GOOGLE'
    /** As `IdentityProvider.autoRegister`. */
    readonly autoRegister: boolean
    /** As `IdentityProvider.clientId`. */
    readonly clientId: string
    /** As `IdentityProvider.issuer`. */
    readonly issuer: string
    /** As `IdentityProvider.scopes`. */
    readonly scopes: readonly string[]
    /** As `IdentityProvider.displayNameMapping`. */
    readonly displayNameMapping:
      | 'OIDC_MAPPING_FIELD_UNSPECIFIED'
      | 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME'
      | 'OIDC_MAPPING_FIELD_EMAIL'
    /** As `IdentityProvider.usernameMapping`. */
    readonly usernameMapping:
      | 'OIDC_MAPPING_FIELD_UNSPECIFIED'
      | 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME'
      | 'OIDC_MAPPING_FIELD_EMAIL'
    /** Client secret of the provider, sealed. */
    readonly clientSecret: SealedSecret
  }
}

/** The OIDC configuration was replaced. */
export const OidcConfigUpdated = event('identity_provider.oidc_config_updated', {
  ...id,
  ...oidc,
  clientSecret: z.exactOptional(SealedSecret),
})
export interface OidcConfigUpdated extends z.infer<typeof OidcConfigUpdated> {
  /** The new values. */
  readonly data: Omit<
    OidcIdentityProviderAdded['data'],
    'name' | 'stylingType' | 'autoRegister' | 'clientSecret'
  > & {
    /** Client secret of the provider, sealed; absent when the stored one was left unchanged. */
    readonly clientSecret?: SealedSecret
  }
}

/** Name, styling and registration of unknown users were replaced. */
export const IdentityProviderUpdated = event('identity_provider.updated', { ...id, ...appearance })
export interface IdentityProviderUpdated extends z.infer<typeof IdentityProviderUpdated> {
  /** The new values. */
  readonly data: Pick<
    OidcIdentityProviderAdded['data'],
    'idpId' | 'name' | 'stylingType' | 'autoRegister'
  >
}

/** A provider was deactivated: it cannot be used. */
export const IdentityProviderDeactivated = event('identity_provider.deactivated', id)
export interface IdentityProviderDeactivated extends z.infer<typeof IdentityProviderDeactivated> {
  /** The provider. */
  readonly data: Pick<OidcIdentityProviderAdded['data'], 'idpId'>
}

/** A provider was reactivated: it can be used again. */
export const IdentityProviderReactivated = event('identity_provider.reactivated', id)
export interface IdentityProviderReactivated extends z.infer<typeof IdentityProviderReactivated> {
  /** The provider. */
  readonly data: Pick<OidcIdentityProviderAdded['data'], 'idpId'>
}

/** A provider was removed. */
export const IdentityProviderRemoved = event('identity_provider.removed', id)
export interface IdentityProviderRemoved extends z.infer<typeof IdentityProviderRemoved> {
  /** The provider. */
  readonly data: Pick<OidcIdentityProviderAdded['data'], 'idpId'>
}

/** The same secret was encrypted again. */
export const ClientSecretResealed = event('identity_provider.secret_resealed', {
  ...id,
  clientSecret: SealedSecret,
})
export interface ClientSecretResealed extends z.infer<typeof ClientSecretResealed> {
  /** The new seal. */
  readonly data: Pick<OidcIdentityProviderAdded['data'], 'idpId' | 'clientSecret'>
}

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
