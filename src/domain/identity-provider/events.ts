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

const claimAt = { claim: z.string(), path: z.exactOptional(z.readonly(z.array(z.string()))) }

/** How users sign in with a provider was replaced. */
export const SignInConfigured = event('identity_provider.sign_in_configured', {
  ...id,
  groups: z.exactOptional(
    z.readonly(
      z.strictObject({
        ...claimAt,
        item: z.exactOptional(z.string()),
        separator: z.exactOptional(z.string()),
      }),
    ),
  ),
  admit: z.exactOptional(
    z.pipe(
      z.array(z.readonly(z.strictObject({ ...claimAt, values: z.readonly(z.array(z.string())) }))),
      // `z.readonly` would freeze also what is no list, such as a buffer, and throw.
      z.transform((rules) => Object.freeze(rules)),
    ),
  ),
  clientAuthentication: z.exactOptional(
    z.enum(['client_secret_basic', 'client_secret_post', 'raw_basic']),
  ),
  addresses: z.exactOptional(z.enum(['domain', 'verified'])),
  subjectClaim: z.exactOptional(z.string()),
  secretExpiresAt: z.exactOptional(z.string()),
})
export interface SignInConfigured extends z.infer<typeof SignInConfigured> {
  /** The provider, and all its settings; an absent one has its default. */
  readonly data: Pick<OidcIdentityProviderAdded['data'], 'idpId'> & {
    /** As `SignInSettings.groups`. */
    readonly groups?: {
      /** As `ClaimOfGroups.claim`. */
      readonly claim: string
      /** As `ClaimOfGroups.path`. */
      readonly path?: readonly string[]
      /** As `ClaimOfGroups.item`. */
      readonly item?: string
      /** As `ClaimOfGroups.separator`. */
      readonly separator?: string
    }
    /** As `SignInSettings.admit`. */
    readonly admit?: readonly {
      /** As `AdmissionRule.claim`. */
      readonly claim: string
      /** As `AdmissionRule.path`. */
      readonly path?: readonly string[]
      /** As `AdmissionRule.values`. */
      readonly values: readonly string[]
    }[]
    /** As `SignInSettings.clientAuthentication`. */
    readonly clientAuthentication?: 'client_secret_basic' | 'client_secret_post' | 'raw_basic'
    /** As `SignInSettings.addresses`. */
    readonly addresses?: 'domain' | 'verified'
    /** As `SignInSettings.subjectClaim`. */
    readonly subjectClaim?: string
    /** As `SignInSettings.secretExpiresAt`. */
    readonly secretExpiresAt?: string
  }
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
  SignInConfigured,
])
export type IdentityProviderEvent =
  | OidcIdentityProviderAdded
  | OidcConfigUpdated
  | IdentityProviderUpdated
  | IdentityProviderDeactivated
  | IdentityProviderReactivated
  | IdentityProviderRemoved
  | ClientSecretResealed
  | SignInConfigured
