import type { Result } from 'neverthrow'
import type { IamError } from '../index.js'

/** Why a URL or an answer of a provider was not taken. */
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

/** Why a sign-in was not begun, or not finished. Holds no secret, token, code or claim. */
export type SignInRefusal =
  /** No provider of a verified domain for this e-mail address. */
  | { readonly kind: 'NoProviderForEmail' }
  /** Begun more than ten minutes ago. */
  | { readonly kind: 'AttemptExpired' }
  /** Absent, altered, or sealed with another key. */
  | { readonly kind: 'AttemptTampered' }
  /** Begun for another organization, provider or redirect URI. */
  | {
      readonly kind: 'AttemptMismatch'
      /** What is another one. */
      readonly field: 'orgId' | 'idpId' | 'redirectUri'
    }
  /** The provider may not be used. */
  | { readonly kind: 'ProviderInactive' }
  /** Issuer, client id, scopes, mappings or secret are others than when the sign-in was begun. */
  | { readonly kind: 'ProviderChanged' }
  /** The provider was removed since the sign-in was begun. */
  | { readonly kind: 'ProviderRemoved' }
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
  /** The provider answered what is no answer in OpenID Connect. */
  | { readonly kind: 'InvalidResponse' }
  /** The provider could not be asked. */
  | {
      readonly kind: 'ProviderUnreachable'
      /** Why. */
      readonly reason: UnreachableReason
    }

/** Carries an error out of code that cannot continue, such as a `fetch` within `openid-client`. */
export class Refused extends Error {
  override readonly name = 'Refused'
  readonly refusal: SignInRefusal | IamError

  constructor(refusal: SignInRefusal | IamError) {
    super(refusal.kind)
    this.refusal = refusal
  }
}

/** What {@link Refused} carries of a provider that could not be asked. */
export const unreachable = (reason: UnreachableReason): Refused =>
  new Refused({ kind: 'ProviderUnreachable', reason })

/** Calls a function of the host. @throws Refused, of kind `Unavailable`, where that throws */
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
