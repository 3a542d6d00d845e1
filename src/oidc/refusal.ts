import type { Result } from 'neverthrow'
import { AuthorizationResponseError, ResponseBodyError } from 'openid-client'
import type { IamError } from '../index.js'

/** Why a URL or an answer of a provider was refused. */
export type UnreachableReason =
  /** The URL is malformed, not `https`, or names an address that is not allowed. */
  | 'address'
  /** A redirect, which is never followed. */
  | 'redirect'
  /** No whole answer in time. */
  | 'timeout'
  /** More than 512 KiB. */
  | 'too_large'
  /** No connection, or one that broke. */
  | 'network'

/** Why a sign-in did not begin or finish. Holds no secret, token, code or claim. */
export type SignInRefusal =
  /** No provider of a verified domain for this e-mail address. */
  | { readonly kind: 'NoProviderForEmail' }
  /** Begun more than ten minutes ago. */
  | { readonly kind: 'AttemptExpired' }
  /** Absent, altered, or sealed with another key. */
  | { readonly kind: 'AttemptTampered' }
  /** Begun for another organization, provider or redirect URI; or another provider answers. */
  | {
      readonly kind: 'AttemptMismatch'
      /** Which of them differs. */
      readonly field: 'orgId' | 'idpId' | 'redirectUri'
    }
  /** The provider may not be used. */
  | { readonly kind: 'ProviderInactive' }
  /** Issuer, client id, scopes, mappings or secret changed since the sign-in began. */
  | { readonly kind: 'ProviderChanged' }
  /** The provider was removed since the sign-in began. */
  | { readonly kind: 'ProviderRemoved' }
  /**
   * The provider does not name itself in its answers (RFC 9207), and `redirectUri` is one URL for all providers: give
   * `openIdSignIn` a function that answers one for each.
   */
  | { readonly kind: 'SharedRedirectUri' }
  /** The issuer moved to another origin since the client secret was given: give the secret again. */
  | { readonly kind: 'SecretForOtherIssuer' }
  /** The `state` is not that of the attempt. */
  | { readonly kind: 'StateMismatch' }
  /** The `nonce` is not that of the attempt. */
  | { readonly kind: 'NonceMismatch' }
  /** The discovery, the answer (RFC 9207) or the ID token is of another issuer than the one stored. */
  | { readonly kind: 'IssuerMismatch' }
  /** The ID token is for another client. */
  | { readonly kind: 'AudienceMismatch' }
  /** Algorithm, key or signature of a token are not those of the provider. */
  | { readonly kind: 'SignatureMismatch' }
  /** The ID token has expired, or is not valid yet; 30 seconds are tolerated. */
  | { readonly kind: 'TokenExpired' }
  /** The user info is about another user than the ID token. */
  | { readonly kind: 'SubjectMismatch' }
  /** The provider refused. */
  | {
      readonly kind: 'ProviderError'
      /** Its code, such as `access_denied`; `unknown` for one that is not 1 to 40 of `a-z` and `_`. */
      readonly error: string
    }
  /** The answer of the provider does not follow OpenID Connect. */
  | { readonly kind: 'InvalidResponse' }
  /** The provider could not be asked. */
  | {
      readonly kind: 'ProviderUnreachable'
      /** Why. */
      readonly reason: UnreachableReason
    }

/** Carries an error out of code that cannot go on, such as a `fetch` within `openid-client`. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly refusal: SignInRefusal | IamError

  constructor(refusal: SignInRefusal | IamError) {
    super(refusal.kind)
    this.refusal = refusal
  }
}

/** A refusal for a provider that could not be asked. */
export const unreachable = (reason: UnreachableReason): Refused =>
  new Refused({ kind: 'ProviderUnreachable', reason })

/** Calls a function of the host. @throws Refused with `Unavailable` when it throws */
export const fromHost = async <Value>(call: () => Value | Promise<Value>): Promise<Value> => {
  try {
    return await call()
  } catch (cause) {
    throw new Refused({ kind: 'Unavailable', outcome: 'not_recorded', cause })
  }
}

/** The value of a result. @throws Refused */
export const orRefuse = async <Value, Failure extends IamError>(
  result: PromiseLike<Result<Value, Failure>>,
): Promise<Value> => {
  const answer = await result
  if (answer.isErr()) throw new Refused(answer.error)
  return answer.value
}

/**
 * Asks a provider through `openid-client`. Since a provider may send values of any shape, that throws a TypeError too.
 *
 * @throws Refused
 */
export const withRefusals = async <Value>(
  ask: () => Value | Promise<Value>,
  asked: Asked = 'other',
): Promise<Value> => {
  try {
    return await ask()
  } catch (thrown) {
    throw new Refused(refusalOf(thrown, asked))
  }
}

/** Whether an ID token was asked for, whose claims are required. */
type Asked = 'id_token' | 'other'

/** The refusal for an error of `openid-client`, by its code. Its causes hold what was received. */
export const refusalOf = (thrown: unknown, asked: Asked = 'other'): SignInRefusal | IamError => {
  if (thrown instanceof Refused) return thrown.refusal
  const cause = fieldOf(thrown, 'cause')
  if (cause instanceof Refused) return cause.refusal
  if (thrown instanceof AuthorizationResponseError || thrown instanceof ResponseBodyError)
    return { kind: 'ProviderError', error: codeOf(thrown.error) }
  switch (fieldOf(thrown, 'code')) {
    case 'OAUTH_WWW_AUTHENTICATE_CHALLENGE':
      return { kind: 'ProviderError', error: challengeOf(cause) }
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return refusalOfClaim(fieldOf(fieldOf(cause, 'cause'), 'claim'))
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return refusalOfAttribute(fieldOf(fieldOf(cause, 'cause') ?? cause, 'attribute'))
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return { kind: 'TokenExpired' }
    case 'OAUTH_KEY_SELECTION_FAILED':
    case 'OAUTH_UNSUPPORTED_OPERATION':
    case 'OAUTH_DECRYPTION_FAILED':
      return { kind: 'SignatureMismatch' }
    case 'OAUTH_TIMEOUT':
    case 'OAUTH_ABORT':
      return { kind: 'ProviderUnreachable', reason: 'timeout' }
    case 'OAUTH_INVALID_RESPONSE':
      return refusalOfResponse(Object(fieldOf(cause, 'cause')), asked)
  }
  return { kind: 'InvalidResponse' }
}

const fieldOf = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)

/** The code of an error, if it is one: a provider could put anything there. */
const codeOf = (error: unknown): string =>
  typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : 'unknown'

const challengeOf = (challenges: unknown): string => {
  const [challenge] = Array.isArray(challenges) ? challenges : []
  return codeOf(fieldOf(fieldOf(challenge, 'parameters'), 'error'))
}

const refusalOfClaim = (claim: unknown): SignInRefusal => {
  switch (claim) {
    case 'iss':
      return { kind: 'IssuerMismatch' }
    case 'nonce':
      return { kind: 'NonceMismatch' }
    case 'aud':
    case 'azp':
      return { kind: 'AudienceMismatch' }
    default:
      return { kind: 'InvalidResponse' }
  }
}

const refusalOfAttribute = (attribute: unknown): SignInRefusal => ({
  kind: attribute === 'issuer' ? 'IssuerMismatch' : 'SubjectMismatch',
})

/** The code is one for all; the cause holds what was compared: a header or signature, or the claims that lack one. */
const refusalOfResponse = (compared: object, asked: Asked): SignInRefusal => {
  if ('header' in compared || 'signature' in compared) return { kind: 'SignatureMismatch' }
  if (asked === 'id_token' && 'claims' in compared) {
    if (typeof fieldOf(compared.claims, 'iss') !== 'string') return { kind: 'IssuerMismatch' }
    if (fieldOf(compared.claims, 'nonce') === undefined) return { kind: 'NonceMismatch' }
  }
  return { kind: 'InvalidResponse' }
}
