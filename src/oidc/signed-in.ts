import {
  type Configuration,
  fetchUserInfo,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client'
import {
  type AccessCheck,
  type IamError,
  type IdentityProvider,
  mapExternalUser,
  mayAutoRegister,
  type SignInSettings,
} from '../index.js'
import type { NetworkOptions } from '../network/request.js'
import type { Attempt } from './attempt.js'
import { type Claims, claimAt, isCut, isObject } from './claim.js'
import { isUsable } from './provider.js'
import { Refused, type SignInRefusal, unreachable, withRefusals } from './refusal.js'

/** A user authenticated by a provider. Identify users by `orgId`, `issuer` and `subject`, never by an address. */
export interface SignedIn {
  /** Organization of the provider. */
  readonly orgId: string
  /** Id of the provider. */
  readonly idpId: string
  /** Issuer of the provider. */
  readonly issuer: string
  /** Id of the user at the provider: `sub`, or the claim that the setting `subjectClaim` names. */
  readonly subject: string
  /** User name, by the provider's mapping. */
  readonly username?: string
  /** Display name, by the provider's mapping; otherwise the user name, otherwise the subject. */
  readonly displayName: string
  /** The address that the provider reports. It may belong to somebody else unless `emailVerified` is true. */
  readonly email?: string
  /** Whether the provider reports the address as verified. */
  readonly emailVerified: boolean
  /**
   * Whether the domain of the address is set to this provider (`iam.domains.setProvider`), and the provider does not
   * say that the address is not verified. With the setting `addresses: 'verified'`, it must say that it is.
   * Link an account by its address only when this is true. Then the domain in `email` is in ASCII and lower case, as
   * claviger stores it; compare the part before the `@` without regard to case.
   */
  readonly emailIsOwn: boolean
  /** Whether the provider lets unknown users be registered. */
  readonly mayAutoRegister: boolean
  /** Claims of the ID token and the user info. */
  readonly claims: Readonly<Record<string, unknown>>
  /**
   * With the option `groups`, or with such a setting of the provider: the user's groups; `unavailable` if the provider
   * left them out, or in another shape, and then nothing was reported.
   */
  readonly groups?: readonly string[] | 'unavailable'
  /** The `returnTo` of `begin`. */
  readonly returnTo?: string
  /** Tokens of the provider; hidden from `inspect` and `JSON.stringify`. */
  readonly tokens: SignInTokens
  /** The id that `userIdOf` returned; absent for an unknown user. */
  readonly userId?: string
  /** Whether the project of `begin` lets the user in, and the user's roles in it; absent without `userId`. */
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

  /** The signed ID token. */
  get idToken(): string {
    return this.#tokens.id
  }

  /** Absent unless the provider gives one, mostly for the scope `offline_access`. */
  get refreshToken(): string | undefined {
    return this.#tokens.refresh
  }
}

/** The provider's token response. */
export type Granted = TokenEndpointResponse & TokenEndpointResponseHelpers

/** What a provider says of a user. */
export interface FoundClaims {
  readonly claims: Claims
  /** Why claims of the user info are missing, if it could not be read. */
  readonly missing?: SignInRefusal | IamError
}

/**
 * The claims of the ID token and the user info. A user info that cannot be read ends no sign-in, because the ID token
 * says who the user is; one about another user does.
 *
 * @throws Refused
 */
export const claimsOf = async (
  client: Configuration,
  granted: Granted,
  network: NetworkOptions,
): Promise<FoundClaims> => {
  const { client_id: clientId } = client.clientMetadata()
  const idToken: Claims = { ...granted.claims() }
  const azp = idToken['azp'] ?? clientId
  // `openid-client` checks it only with several audiences.
  if (azp !== clientId) throw new Refused({ kind: 'AudienceMismatch' })
  const { userinfo_endpoint: endpoint } = client.serverMetadata()
  if (endpoint === undefined) return { claims: mergedClaims(idToken, {}) }
  try {
    if (!isUsable(endpoint, network)) throw unreachable('address')
    const info = await withRefusals(() =>
      fetchUserInfo(client, granted.access_token, String(idToken['sub'])),
    )
    return { claims: mergedClaims(idToken, { ...info }) }
  } catch (thrown) {
    if (!(thrown instanceof Refused) || thrown.refusal.kind === 'SubjectMismatch') throw thrown
    return { claims: mergedClaims(idToken, {}), missing: thrown.refusal }
  }
}

/**
 * The ID token is signed, so it wins; members of an object, such as `resource_access` of Keycloak, may be in either. An
 * address and `email_verified` come from the same source.
 */
const mergedClaims = (tokenClaims: Claims, info: Claims): Claims => {
  const isWhole = ([name, value]: readonly [string, unknown]) =>
    value !== null && !(isCut(value) && info[name] !== undefined)
  const idToken: Claims = Object.fromEntries(Object.entries(tokenClaims).filter(isWhole))
  const isOfIdToken = idToken['email'] !== undefined
  const [own, other] = isOfIdToken ? [idToken, info] : [info, idToken]
  // Another source may only say that an address is not verified.
  const isDenied = !isTrue(other['email_verified'] ?? true)
  const isVerified = own['email_verified'] ?? (isDenied ? other['email_verified'] : undefined)
  const both = Object.entries(idToken).map(([name, value]) => {
    const other = info[name]
    return [name, isObject(value) && isObject(other) ? { ...other, ...value } : value] as const
  })
  const { email_verified: _, ...claims }: Claims = { ...info, ...Object.fromEntries(both) }
  return isVerified === undefined ? claims : { ...claims, email_verified: isVerified }
}

// Some providers send texts.
const isTrue = (claim: unknown): boolean => claim === true || claim === 'true'

/** Whether the provider may be believed that the address is the user's, if it is the provider of the domain. */
export const isTrusted = (
  { claims, emailVerified }: Pick<SignedIn, 'claims' | 'emailVerified'>,
  { addresses = 'domain' }: Pick<SignInSettings, 'addresses'> = {},
): boolean =>
  emailVerified || (addresses === 'domain' && (claims['email_verified'] ?? undefined) === undefined)

/** @throws Refused without the claim, or if it is neither text nor a whole number */
const subjectIn = (claims: Claims, claim = 'sub'): string => {
  const found = claimAt(claims, { claim })
  if ((typeof found === 'string' && found !== '') || Number.isSafeInteger(found))
    return String(found)
  const cause = new Error(`The claim ${claim}, which identifies users, is missing or no text`)
  throw new Refused({ kind: 'InvalidResponse' }, cause)
}

/** The user that the claims describe, by the provider's mapping. @throws Refused */
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
  const subject = subjectIn(claims, provider.signIn?.subjectClaim)
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
    emailVerified: hasEmail && isTrue(isVerified),
    mayAutoRegister: mayAutoRegister(provider),
    claims,
    ...(returnTo !== undefined && { returnTo }),
    tokens: new SignInTokens(access_token, id_token, refresh_token),
  }
}
