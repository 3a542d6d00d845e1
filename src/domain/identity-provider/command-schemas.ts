import * as z from 'zod/mini'
import { command, type Patch } from '../message.js'
import {
  choice,
  flag,
  IdpId,
  listOf,
  MAX_SCOPES,
  requiredText,
  SealedSecret,
  text,
} from '../values.js'
import type {
  ClientSecretResealed,
  IdentityProviderUpdated,
  OidcConfigUpdated,
  OidcIdentityProviderAdded,
  SignInConfigured,
} from './events.js'
import { type SignInSettingsInput, signInSchemas } from './sign-in-settings.js'

/** Styling of the login button, for providers that prescribe one. */
export const StylingType = choice(['STYLING_TYPE_UNSPECIFIED', 'STYLING_TYPE_GOOGLE'])
export type StylingType = z.infer<typeof StylingType>

/** Which claim of the provider becomes a field of the user. */
export const OidcMappingField = choice([
  'OIDC_MAPPING_FIELD_UNSPECIFIED',
  'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  'OIDC_MAPPING_FIELD_EMAIL',
])
export type OidcMappingField = z.infer<typeof OidcMappingField>

/** Schema of one scope. RFC 6749, section 3.3: printable ASCII without space, quotation mark and backslash. */
const scope = z.string({ error: 'must be text' }).check(
  z.regex(/^[\x21\x23-\x5B\x5D-\x7E]{1,200}$/, {
    error:
      'must be an OAuth 2.0 scope of 1 to 200 printable ASCII characters without space, " or \\',
  }),
)

const id = { idpId: IdpId }

const appearanceSchemas = {
  name: requiredText,
  stylingType: z._default(StylingType, 'STYLING_TYPE_UNSPECIFIED'),
  autoRegister: flag,
}

const oidcSchemas = {
  clientId: requiredText,
  scopes: z.prefault(listOf(scope, 0, MAX_SCOPES), []),
  displayNameMapping: z._default(OidcMappingField, 'OIDC_MAPPING_FIELD_UNSPECIFIED'),
  usernameMapping: z._default(OidcMappingField, 'OIDC_MAPPING_FIELD_UNSPECIFIED'),
}

/**
 * Adds an OIDC identity provider.
 */
export const AddOidcIdentityProvider = command('AddOidcIdentityProvider', {
  ...id,
  ...appearanceSchemas,
  ...oidcSchemas,
  clientSecret: SealedSecret,
  issuer: text,
})
export interface AddOidcIdentityProvider extends z.infer<typeof AddOidcIdentityProvider> {
  /** The new provider. */
  readonly data: OidcIdentityProviderAdded['data']
}

/**
 * Replaces the OIDC configuration; an absent field gets its default.
 */
export const UpdateOidcConfig = command('UpdateOidcConfig', {
  ...id,
  ...oidcSchemas,
  clientSecret: z.exactOptional(SealedSecret),
  issuer: requiredText,
})
export interface UpdateOidcConfig extends z.infer<typeof UpdateOidcConfig> {
  /** The provider, and its new values. */
  readonly data: OidcConfigUpdated['data']
}

/** Replaces the fields outside the OIDC configuration: name, styling and registration of unknown users. */
export const UpdateIdentityProvider = command('UpdateIdentityProvider', {
  ...id,
  ...appearanceSchemas,
})
export interface UpdateIdentityProvider extends z.infer<typeof UpdateIdentityProvider> {
  /** The provider, and its new values. */
  readonly data: IdentityProviderUpdated['data']
}

/** Replaces the given fields, of the OIDC configuration or not, and keeps the others. */
export const PatchIdentityProvider = command('PatchIdentityProvider', {
  ...id,
  name: z.optional(requiredText),
  stylingType: z.optional(StylingType),
  autoRegister: z.optional(flag.def.innerType),
  clientId: z.optional(requiredText),
  clientSecret: z.optional(SealedSecret),
  issuer: z.optional(requiredText),
  scopes: z.optional(oidcSchemas.scopes.def.innerType),
  displayNameMapping: z.optional(OidcMappingField),
  usernameMapping: z.optional(OidcMappingField),
})
export interface PatchIdentityProvider extends z.infer<typeof PatchIdentityProvider> {
  /** The provider, and its new values; an undefined one counts as absent. */
  readonly data: Pick<OidcIdentityProviderAdded['data'], 'idpId'> &
    Patch<OidcIdentityProviderAdded['data']>
}

/** Deactivates a provider: it cannot be used, but nothing is lost. */
export const DeactivateIdentityProvider = command('DeactivateIdentityProvider', id)
export interface DeactivateIdentityProvider extends z.infer<typeof DeactivateIdentityProvider> {
  /** The provider. */
  readonly data: Pick<OidcIdentityProviderAdded['data'], 'idpId'>
}

/** Reactivates a provider: it can be used again. */
export const ReactivateIdentityProvider = command('ReactivateIdentityProvider', id)
export interface ReactivateIdentityProvider extends z.infer<typeof ReactivateIdentityProvider> {
  /** The provider. */
  readonly data: Pick<OidcIdentityProviderAdded['data'], 'idpId'>
}

/** Removes a provider. Its id cannot be used again. */
export const RemoveIdentityProvider = command('RemoveIdentityProvider', id)
export interface RemoveIdentityProvider extends z.infer<typeof RemoveIdentityProvider> {
  /** The provider. */
  readonly data: Pick<OidcIdentityProviderAdded['data'], 'idpId'>
}

/** Stores a new encryption of the same secret, such as with the current key. */
export const ResealClientSecret = command('ResealClientSecret', {
  ...id,
  replaces: SealedSecret,
  clientSecret: SealedSecret,
})
export interface ResealClientSecret extends z.infer<typeof ResealClientSecret> {
  /** The seals, old and new. */
  readonly data: ClientSecretResealed['data'] & {
    /** The sealed secret that was read. If another one is stored by then, nothing changes. */
    readonly replaces: SealedSecret
  }
}

/** Replaces how users sign in; an absent setting gets its default. */
export const ConfigureSignIn = command('ConfigureSignIn', { ...id, ...signInSchemas })
export interface ConfigureSignIn extends z.infer<typeof ConfigureSignIn> {
  /** The provider, and its new settings; an undefined one counts as absent. */
  readonly data: Pick<SignInConfigured['data'], 'idpId'> & SignInSettingsInput
}

/** Any command of an identity provider. */
export const IdentityProviderCommand = z.discriminatedUnion('type', [
  AddOidcIdentityProvider,
  UpdateOidcConfig,
  UpdateIdentityProvider,
  PatchIdentityProvider,
  DeactivateIdentityProvider,
  ReactivateIdentityProvider,
  RemoveIdentityProvider,
  ResealClientSecret,
  ConfigureSignIn,
])
export type IdentityProviderCommand =
  | AddOidcIdentityProvider
  | UpdateOidcConfig
  | UpdateIdentityProvider
  | PatchIdentityProvider
  | DeactivateIdentityProvider
  | ReactivateIdentityProvider
  | RemoveIdentityProvider
  | ResealClientSecret
  | ConfigureSignIn

// Field by field: some editors show no documentation of fields that are picked or mapped from another type.

/** Fields of a provider that may be absent. */
export interface ProviderFieldsInput {
  /**
   * Styling of the login button, for providers that prescribe one. Absent: `STYLING_TYPE_UNSPECIFIED` for a new
   * provider, else unchanged.
   */
  readonly stylingType?: StylingType | undefined
  /**
   * Whether an unknown user of the provider may be registered at login, see `mayAutoRegister`. Absent: false for a new
   * provider, else unchanged.
   */
  readonly autoRegister?: boolean | undefined
  /**
   * Scopes to request from the provider: at most 100, each of 1 to 200 printable ASCII characters without space, `"`
   * and `\`; see `authorizationScopes`. Absent: none for a new provider, else unchanged.
   */
  readonly scopes?: readonly string[] | undefined
  /**
   * Which claim becomes the user's display name, see `mapExternalUser`. Absent: `OIDC_MAPPING_FIELD_UNSPECIFIED` for a
   * new provider, else unchanged.
   */
  readonly displayNameMapping?: OidcMappingField | undefined
  /**
   * Which claim becomes the username, see `mapExternalUser`. Absent: `OIDC_MAPPING_FIELD_UNSPECIFIED` for a new
   * provider, else unchanged.
   */
  readonly usernameMapping?: OidcMappingField | undefined
}
