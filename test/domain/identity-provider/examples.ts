import type {
  AddOidcIdentityProvider,
  ConfigureSignIn,
  DeactivateIdentityProvider,
  PatchIdentityProvider,
  ReactivateIdentityProvider,
  RemoveIdentityProvider,
  ResealClientSecret,
  UpdateIdentityProvider,
  UpdateOidcConfig,
} from '../../../src/domain/identity-provider/command-schemas.js'
import type {
  IdentityProviderEvent,
  OidcIdentityProviderAdded,
} from '../../../src/domain/identity-provider/events.js'
import { IdpId, SealedSecret } from '../../../src/domain/values.js'

/** Names the provider of these examples. */
export const id = { idpId: IdpId.parse('google') }

export const [firstSeal, secondSeal, thirdSeal] = [
  SealedSecret.parse('first seal'),
  SealedSecret.parse('second seal'),
  SealedSecret.parse('third seal'),
]

export const appearance = {
  name: 'Google',
  stylingType: 'STYLING_TYPE_GOOGLE',
  autoRegister: true,
} as const

export const otherAppearance = {
  name: 'Work account',
  stylingType: 'STYLING_TYPE_UNSPECIFIED',
  autoRegister: false,
} as const

export const oidc = {
  clientId: 'client-1',
  issuer: 'https://accounts.google.com',
  scopes: ['email', 'profile'],
  displayNameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL',
} as const

export const otherOidc = {
  clientId: 'client-2',
  issuer: 'https://login.example.com',
  scopes: [],
  displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
  usernameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
} as const

export const google = { ...id, ...appearance, ...oidc, clientSecret: firstSeal }

export const addGoogle: AddOidcIdentityProvider = { type: 'AddOidcIdentityProvider', data: google }

export const updateOidc: UpdateOidcConfig = {
  type: 'UpdateOidcConfig',
  data: { ...id, ...otherOidc, clientSecret: secondSeal },
}

export const updateOidcKeepingSecret: UpdateOidcConfig = {
  type: 'UpdateOidcConfig',
  data: { ...id, ...otherOidc },
}

export const updateAppearance: UpdateIdentityProvider = {
  type: 'UpdateIdentityProvider',
  data: { ...id, ...otherAppearance },
}

export const patchGoogle: PatchIdentityProvider = {
  type: 'PatchIdentityProvider',
  data: { ...id, ...otherAppearance, ...otherOidc, clientSecret: secondSeal },
}

export const deactivateGoogle: DeactivateIdentityProvider = {
  type: 'DeactivateIdentityProvider',
  data: id,
}

export const reactivateGoogle: ReactivateIdentityProvider = {
  type: 'ReactivateIdentityProvider',
  data: id,
}

export const removeGoogle: RemoveIdentityProvider = { type: 'RemoveIdentityProvider', data: id }

export const reseal: ResealClientSecret = {
  type: 'ResealClientSecret',
  data: { ...id, replaces: firstSeal, clientSecret: secondSeal },
}

export const settings = {
  groups: { claim: 'groups', item: 'value' },
  admit: [{ claim: 'hd', path: ['of'], values: ['corp.example'] }],
  clientAuthentication: 'raw_basic',
  addresses: 'verified',
  subjectClaim: 'oid',
  secretExpiresAt: '2027-03-31T22:00:00.000Z',
} as const

export const configureSignIn: ConfigureSignIn = {
  type: 'ConfigureSignIn',
  data: { ...id, ...settings },
}

export const signInConfigured: IdentityProviderEvent = {
  type: 'identity_provider.sign_in_configured',
  data: { ...id, ...settings },
}

export const googleAdded: OidcIdentityProviderAdded = {
  type: 'identity_provider.oidc_added',
  data: google,
}

export const oidcUpdated: IdentityProviderEvent = {
  type: 'identity_provider.oidc_config_updated',
  data: { ...id, ...otherOidc, clientSecret: secondSeal },
}

export const oidcUpdatedKeepingSecret: IdentityProviderEvent = {
  type: 'identity_provider.oidc_config_updated',
  data: { ...id, ...otherOidc },
}

export const appearanceUpdated: IdentityProviderEvent = {
  type: 'identity_provider.updated',
  data: { ...id, ...otherAppearance },
}

export const deactivated: IdentityProviderEvent = {
  type: 'identity_provider.deactivated',
  data: id,
}

export const reactivated: IdentityProviderEvent = {
  type: 'identity_provider.reactivated',
  data: id,
}

export const removed: IdentityProviderEvent = { type: 'identity_provider.removed', data: id }

export const resealed: IdentityProviderEvent = {
  type: 'identity_provider.secret_resealed',
  data: { ...id, clientSecret: secondSeal },
}
