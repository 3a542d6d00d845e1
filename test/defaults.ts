// What an absent field means, in words: the types of updates, which replace everything, demand every field.

/** The settings of a project that was given none. */
export const PROJECT_DEFAULTS = {
  projectRoleAssertion: false,
  projectRoleCheck: false,
  hasProjectCheck: false,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
} as const

/** What a provider shows that was given a name alone. */
export const PROVIDER_DEFAULTS = {
  stylingType: 'STYLING_TYPE_UNSPECIFIED',
  autoRegister: false,
} as const

/** The OIDC configuration of a provider that was given a client and an issuer alone. */
export const OIDC_DEFAULTS = {
  scopes: [],
  displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
  usernameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
} as const
