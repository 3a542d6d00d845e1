import type { OidcMappingField } from './command-schemas.js'

/**
 * Returns the scopes to request from the provider: the configured ones in their order, with `openid` first if it is
 * missing.
 */
export const authorizationScopes = (idp: {
  /** As configured for the provider. */
  readonly scopes: readonly string[]
}): readonly string[] => (idp.scopes.includes('openid') ? idp.scopes : ['openid', ...idp.scopes])

/** Claims about a user, as a provider's ID token or user info response states them. Untrusted. */
export interface ExternalClaims {
  /** Id of the user at the provider; never given to another user. */
  readonly sub: string
  /** Text; anything else counts as absent. */
  readonly preferred_username?: unknown
  /** Text; anything else counts as absent. */
  readonly email?: unknown
  /** The address is used as a username only with `true`. */
  readonly email_verified?: unknown
  /** Text; anything else counts as absent. */
  readonly name?: unknown
}

type Claims = { readonly [Claim in keyof ExternalClaims]?: unknown }

/** A user of a provider, after the mappings. */
export interface ExternalUser {
  /** Undefined if the provider did not send the mapped claim, or the address is not verified. */
  readonly username: string | undefined
  /** Undefined if the provider did not send the mapped claim. */
  readonly displayName: string | undefined
}

const textClaim = (claim: unknown): string | undefined =>
  typeof claim === 'string' && claim !== '' ? claim : undefined

/** With an unverified address a user could take over the account of another. */
const verifiedEmail = (claims: Claims): string | undefined =>
  claims.email_verified === true ? textClaim(claims.email) : undefined

const usernameFrom = (mapping: OidcMappingField, claims: Claims): string | undefined => {
  switch (mapping) {
    case 'OIDC_MAPPING_FIELD_UNSPECIFIED':
      return textClaim(claims.preferred_username) ?? verifiedEmail(claims) ?? textClaim(claims.sub)
    case 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME':
      return textClaim(claims.preferred_username)
    case 'OIDC_MAPPING_FIELD_EMAIL':
      return verifiedEmail(claims)
  }
}

const displayNameFrom = (
  mapping: OidcMappingField,
  claims: Claims,
  username: string | undefined,
): string | undefined => {
  switch (mapping) {
    case 'OIDC_MAPPING_FIELD_UNSPECIFIED':
      return textClaim(claims.name) ?? username
    case 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME':
      return textClaim(claims.preferred_username)
    case 'OIDC_MAPPING_FIELD_EMAIL':
      return textClaim(claims.email)
  }
}

/**
 * Applies the mappings of a provider to its claims about a user. An absent claim is not replaced by another one, and
 * claims without a mapping are ignored.
 */
export const mapExternalUser = (
  idp: {
    /** Unspecified: `preferred_username`, else the verified `email`, else `sub`. */
    readonly usernameMapping: OidcMappingField
    /** Unspecified: `name`, else the username. */
    readonly displayNameMapping: OidcMappingField
  },
  claims: ExternalClaims | Readonly<Record<string, unknown>>,
): ExternalUser => {
  const username = usernameFrom(idp.usernameMapping, claims)
  return { username, displayName: displayNameFrom(idp.displayNameMapping, claims, username) }
}

/** Whether an unknown user of the provider may be registered at login. */
export const mayAutoRegister = (idp: {
  /** Absent means active; any other value means inactive. */
  readonly state?: 'active' | 'inactive' | undefined
  /** As configured for the provider. */
  readonly autoRegister: boolean
}): boolean => idp.autoRegister && (idp.state ?? 'active') === 'active'
