import {
  type Configuration,
  fetchUserInfo,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client'
import {
  type AccessCheck,
  type IdentityProvider,
  mapExternalUser,
  mayAutoRegister,
} from '../index.js'
import type { Attempt } from './attempt.js'
import { Refused, withRefusals } from './refusal.js'

/** A user for whom a provider vouches. Keep users by `orgId`, `issuer` and `subject`, never by an address. */
export interface SignedIn {
  /** Organization of the provider. */
  readonly orgId: string
  /** Id of the provider. */
  readonly idpId: string
  /** As the provider names itself. */
  readonly issuer: string
  /** Id of the user at the provider. */
  readonly subject: string
  /** By the mapping of the provider. */
  readonly username?: string
  /** By the mapping of the provider; else the user name, else the subject. */
  readonly displayName: string
  /** As the provider says. It may belong to somebody else, unless `emailVerified` is true. */
  readonly email?: string
  /** Whether the provider says that the address belongs to the user. */
  readonly emailVerified: boolean
  /**
   * Whether `emailVerified` is true and the domain of the address is set to this provider (`iam.domains.setProvider`).
   * Link an account by its address only when this is true.
   */
  readonly emailIsOwn: boolean
  /** Whether an unknown user may be registered. */
  readonly mayAutoRegister: boolean
  /** Claims of the ID token, and further ones of the user info. */
  readonly claims: Readonly<Record<string, unknown>>
  /**
   * With the option `groups`: the groups that the provider says the user is in; `unavailable` when it left them out, and
   * nothing was reported.
   */
  readonly groups?: readonly string[] | 'unavailable'
  /** As given to `begin`. */
  readonly returnTo?: string
  /** For the host to take; hidden from `inspect` and `JSON.stringify`. */
  readonly tokens: SignInTokens
  /** The user id of `userIdOf`; absent for a user that it does not know. */
  readonly userId?: string
  /** Whether the project that was given to `begin` lets the user in, with which roles; absent without `userId`. */
  readonly access?: AccessCheck
}

/** Tokens of a provider. `inspect` and `JSON.stringify` do not show them. */
export class SignInTokens {
  readonly #tokens: Readonly<Record<'access' | 'id', string>> & { readonly refresh?: string }

  constructor(access: string, id: string, refresh: string | undefined) {
    this.#tokens = { access, id, ...(refresh !== undefined && { refresh }) }
  }

  /** Hides the tokens from `inspect`, which has an option to call getters. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return 'SignInTokens {}'
  }

  /** For the user info endpoint and other services of the provider. */
  get accessToken(): string {
    return this.#tokens.access
  }

  /** As it was signed. */
  get idToken(): string {
    return this.#tokens.id
  }

  /** Absent unless the provider gives one, mostly for the scope `offline_access`. */
  get refreshToken(): string | undefined {
    return this.#tokens.refresh
  }
}

type Claims = Readonly<Record<string, unknown>>

/** The answer of the provider to the code. */
export type Granted = TokenEndpointResponse & TokenEndpointResponseHelpers

/** The claims of the ID token and the user info. @throws Refused */
export const claimsOf = async (client: Configuration, granted: Granted): Promise<Claims> => {
  const { client_id: clientId } = client.clientMetadata()
  const idToken: Claims = { ...granted.claims() }
  const { azp = clientId } = idToken
  // `openid-client` checks it only beside several audiences.
  if (azp !== clientId) throw new Refused({ kind: 'AudienceMismatch' })
  if (client.serverMetadata().userinfo_endpoint === undefined) return mergedClaims(idToken, {})
  const info = await withRefusals(() =>
    fetchUserInfo(client, granted.access_token, String(idToken['sub'])),
  )
  return mergedClaims(idToken, { ...info })
}

/** The ID token is signed, so it wins. An address and `email_verified` come from the same source. */
const mergedClaims = (idToken: Claims, info: Claims): Claims => {
  const isOfIdToken = idToken['email'] !== undefined
  const { email_verified: isVerified } = isOfIdToken ? idToken : info
  const { email_verified: _, ...claims }: Claims = { ...info, ...idToken }
  return isVerified === undefined ? claims : { ...claims, email_verified: isVerified }
}

/** The user that the claims describe, by the mapping of the provider. */
export const userOf = (
  provider: IdentityProvider,
  from: {
    readonly attempt: Attempt
    readonly issuer: string
    readonly claims: Claims
    readonly granted: Granted
  },
): Omit<SignedIn, 'emailIsOwn'> => {
  const { attempt, issuer, claims, granted } = from
  const { orgId, idpId, returnTo } = attempt
  const { access_token, id_token = '', refresh_token } = granted
  const { email, email_verified: isVerified } = claims
  const subject = String(claims['sub'])
  const hasEmail = typeof email === 'string' && email !== ''
  const { username, displayName } = mapExternalUser(provider, claims)
  return {
    orgId,
    idpId,
    issuer,
    subject,
    ...(username !== undefined && { username }),
    displayName: displayName ?? username ?? subject,
    ...(hasEmail && { email }),
    emailVerified: hasEmail && isVerified === true,
    mayAutoRegister: mayAutoRegister(provider),
    claims,
    ...(returnTo !== undefined && { returnTo }),
    tokens: new SignInTokens(access_token, id_token, refresh_token),
  }
}
