import type { Result } from 'neverthrow'
import { AuthorizationResponseError, ResponseBodyError } from 'openid-client'
import type { IamError, Violation } from '../index.js'
import { NetworkFault, type NetworkReason } from '../network/fault.js'

/**
 * Errors of a sign-in. They contain no secret, token, code or claim. `cause`, where there is one, is what the provider or
 * the network reported; it is not enumerable, so it does not appear in JSON.
 */
export type SignInRefusal = RefusalKind & {
  /** What the provider, the network or a function of yours reported. */
  readonly cause?: unknown
}

type RefusalKind =
  /** `signInHandler` was asked to begin by a page of another site, or by no browser. */
  | { readonly kind: 'ForeignPage' }
  /** No verified domain with a provider matches this e-mail address. */
  | { readonly kind: 'NoProviderForEmail' }
  /** The sign-in began more than ten minutes ago. */
  | { readonly kind: 'AttemptExpired' }
  /** The attempt is absent, altered, or encrypted with another key. */
  | { readonly kind: 'AttemptTampered' }
  /** The sign-in began for another organization, provider or redirect URI, as a preview, or the response is from another provider. */
  | {
      readonly kind: 'AttemptMismatch'
      /** The value that differs. */
      readonly field: 'orgId' | 'idpId' | 'redirectUri' | 'preview'
    }
  /** The provider is inactive. */
  | { readonly kind: 'ProviderInactive' }
  /** The sign-in with the inactive provider of a set-up link works. Nobody is signed in: say so to its admin. */
  | { readonly kind: 'DraftSignedIn' }
  /** The provider's rules (`admit` of `configureSignIn`) do not let this user in. */
  | {
      readonly kind: 'NotAdmitted'
      /** Name of the claim that has none of the admitted values. */
      readonly claim: string
    }
  /** Issuer, client id, scopes, mappings, settings or secret changed since the sign-in began. */
  | { readonly kind: 'ProviderChanged' }
  /** The provider was removed since the sign-in began. */
  | { readonly kind: 'ProviderRemoved' }
  /**
   * The provider does not send `iss` in its responses (RFC 9207), and `redirectUri` is one URL for all providers. Give
   * `openIdSignIn` a function that returns a URL for each.
   */
  | { readonly kind: 'SharedRedirectUri' }
  /** The issuer's origin changed after the client secret was set: enter the secret again. */
  | { readonly kind: 'SecretForOtherIssuer' }
  /** The `state` does not match the attempt. */
  | { readonly kind: 'StateMismatch' }
  /** The `nonce` does not match the attempt. */
  | { readonly kind: 'NonceMismatch' }
  /** The discovery document, the response (RFC 9207) or the ID token names another issuer than the stored one. */
  | { readonly kind: 'IssuerMismatch' }
  /** The ID token is for another client. */
  | { readonly kind: 'AudienceMismatch' }
  /** The token's algorithm, key or signature is not the provider's. */
  | { readonly kind: 'SignatureMismatch' }
  /** The ID token has expired or is not valid yet, with a tolerance of 30 seconds. */
  | { readonly kind: 'TokenExpired' }
  /** The user info is about another user than the ID token. */
  | { readonly kind: 'SubjectMismatch' }
  /** The provider refused the sign-in. */
  | {
      readonly kind: 'ProviderError'
      /**
       * The provider's error code, such as `access_denied`; `unknown` if it is not 1 to 40 characters of `a-z` and `_`.
       */
      readonly error: string
    }
  /** The provider's response does not follow OpenID Connect. */
  | { readonly kind: 'InvalidResponse' }
  /** The provider could not be reached. */
  | {
      readonly kind: 'ProviderUnreachable'
      /** Why. `too_large`: more than 512 KiB. */
      readonly reason: NetworkReason
    }

/** Carries an error out of code that cannot continue, such as a `fetch` within `openid-client`. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly refusal: SignInRefusal | IamError

  constructor(refusal: SignInRefusal | IamError, cause?: unknown) {
    super(refusal.kind)
    const hidden = { value: cause, enumerable: false }
    this.refusal =
      cause === undefined ? refusal : Object.defineProperty({ ...refusal }, 'cause', hidden)
  }
}

/** The refusal of a malformed input. */
export const invalid = (violations: readonly Violation[]): Refused =>
  new Refused({ kind: 'InvalidArgument', violations })

/** A refusal for a provider that could not be reached. */
export const unreachable = (reason: NetworkReason, cause?: unknown): Refused =>
  new Refused({ kind: 'ProviderUnreachable', reason }, cause ?? new NetworkFault(reason))

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
 * Calls a provider through `openid-client`, which may also throw a TypeError, because a provider may send values of any
 * shape. `hidden` are texts that a cause must not contain.
 *
 * @throws Refused
 */
export const withRefusals = async <Value>(
  ask: () => Value | Promise<Value>,
  { expected = 'other', hidden = [] }: { expected?: Expected; hidden?: readonly string[] } = {},
): Promise<Value> => {
  try {
    return await ask()
  } catch (thrown) {
    throw refusedBy(thrown, expected, hidden)
  }
}

/** Whether an ID token was requested, whose claims are required. */
type Expected = 'id_token' | 'other'

/** The refusal of a thrown error, with a cause that is safe to log. */
export const refusedBy = (
  thrown: unknown,
  expected: Expected = 'other',
  hidden: readonly string[] = [],
): Refused => {
  const refused = [thrown, fieldOf(thrown, 'cause')].find((each) => each instanceof Refused)
  if (refused) return refused
  const cause = new Error(reportOf(thrown, hidden))
  return new Refused(
    refusalOf(thrown, expected),
    Object.assign(cause, { code: fieldOf(thrown, 'code') }),
  )
}

/** Most characters of a report. */
const MAX_REPORT = 500

/** Text of others on one line, bounded. */
export const plainText = (text: string): string =>
  text.replaceAll(/[^\P{C}]/gu, ' ').slice(0, MAX_REPORT)

/** Says which issuer a discovery document or a token names. */
export const namedIssuer = (issuer: string, by = 'discovery document'): string =>
  `The ${by} names the issuer ${plainText(issuer)}`

const isResponse = (thrown: unknown): thrown is AuthorizationResponseError | ResponseBodyError =>
  thrown instanceof AuthorizationResponseError || thrown instanceof ResponseBodyError

/** What `openid-client` or the provider said, without what they said it of: errors of a parser quote what they parse. */
const reportOf = (thrown: unknown, hidden: readonly string[]): string => {
  const issuer = fieldOf(fieldOf(fieldOf(thrown, 'cause'), 'body'), 'issuer')
  if (typeof issuer === 'string') return namedIssuer(issuer)
  const masked = hidden
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, '[hidden]'), saidBy(thrown))
  return plainText(masked)
}

const saidBy = (thrown: unknown): string => {
  const cause = fieldOf(thrown, 'cause')
  const { error, error_description: description } = Object(
    isResponse(thrown) ? thrown : challengeOf(cause),
  )
  if (error !== undefined) return wordsOf(error, description)
  const { claim, claims } = Object(fieldOf(cause, 'cause'))
  return claim === 'iss' ? namedIssuer(String(fieldOf(claims, claim)), 'token') : messageOf(thrown)
}

/** The words of a provider about an error. */
export const wordsOf = (error: unknown, description: string | undefined): string =>
  [codeOf(error), description].filter((each) => each !== undefined).join(': ')

/** The innermost message that has a code: those of `openid-client` name no value. */
const messageOf = (thrown: unknown): string => {
  const cause = fieldOf(thrown, 'cause')
  if (isCoded(cause)) return messageOf(cause)
  return String(fieldOf(thrown, isCoded(thrown) ? 'message' : 'name'))
}

const isCoded = (error: unknown): boolean => /^OAUTH_/.test(String(fieldOf(error, 'code')))

/** By the code of an error of `openid-client`. Its causes contain the response. */
const refusalOf = (thrown: unknown, expected: Expected): SignInRefusal => {
  const cause = fieldOf(thrown, 'cause')
  if (isResponse(thrown)) return { kind: 'ProviderError', error: codeOf(thrown.error) }
  switch (fieldOf(thrown, 'code')) {
    case 'OAUTH_WWW_AUTHENTICATE_CHALLENGE':
      return { kind: 'ProviderError', error: codeOf(fieldOf(challengeOf(cause), 'error')) }
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return refusalOfClaim(fieldOf(fieldOf(cause, 'cause'), 'claim'))
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return refusalOfAttribute(fieldOf(fieldOf(cause, 'cause') ?? cause, 'attribute'))
    case 'OAUTH_JWT_TIMESTAMP_CHECK_FAILED':
      return { kind: 'TokenExpired' }
    case 'OAUTH_UNSUPPORTED_OPERATION':
      return { kind: isOfResponse(cause) ? 'InvalidResponse' : 'SignatureMismatch' }
    case 'OAUTH_KEY_SELECTION_FAILED':
    case 'OAUTH_DECRYPTION_FAILED':
      return { kind: 'SignatureMismatch' }
    case 'OAUTH_TIMEOUT':
    case 'OAUTH_ABORT':
      return { kind: 'ProviderUnreachable', reason: 'timeout' }
    case 'OAUTH_INVALID_RESPONSE':
      return refusalOfResponse(Object(fieldOf(cause, 'cause')), expected)
  }
  return { kind: 'InvalidResponse' }
}

/** Whether the type of the token or of the response is not supported, rather than an algorithm or a key. */
const isOfResponse = (cause: unknown): boolean => {
  const what = fieldOf(cause, 'cause')
  return isCoded(cause) && (what === undefined || fieldOf(what, 'body') !== undefined)
}

const fieldOf = (value: unknown, name: string): unknown => Reflect.get(Object(value), name)

/** The code of an error, if it is well-formed: a provider may send anything. */
const codeOf = (error: unknown): string =>
  typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : 'unknown'

/** The parameters of the first challenge of a `WWW-Authenticate` header. */
const challengeOf = (challenges: unknown): unknown => {
  const [challenge] = Array.isArray(challenges) ? challenges : []
  return fieldOf(challenge, 'parameters')
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

/** All have the same code; the cause has the compared values: a header or signature, or the claims that lack one. */
const refusalOfResponse = (compared: object, expected: Expected): SignInRefusal => {
  if ('header' in compared || 'signature' in compared) return { kind: 'SignatureMismatch' }
  if (expected === 'id_token' && 'claims' in compared) {
    if (typeof fieldOf(compared.claims, 'iss') !== 'string') return { kind: 'IssuerMismatch' }
    if (fieldOf(compared.claims, 'nonce') === undefined) return { kind: 'NonceMismatch' }
  }
  return { kind: 'InvalidResponse' }
}
