import { AuthorizationResponseError, ResponseBodyError } from 'openid-client'
import type { IamError } from '../index.js'
import { Refused, type SignInRefusal } from './refusal.js'

/** What is used of an error of `openid-client`, of which the causes hold what was received. */
interface Failure {
  readonly code: unknown
  readonly cause: unknown
  readonly message: unknown
}

const partsOf = (thrown: unknown): Failure => {
  const field = (name: string): unknown => Reflect.get(Object(thrown), name)
  return {
    code: field('code'),
    cause: field('cause'),
    message: field('message'),
  }
}

/**
 * Asks a provider by `openid-client`. What a provider sends may have any shape, at which that throws a TypeError too.
 * @throws Refused
 */
export const asking = async <Value>(ask: () => Value | Promise<Value>): Promise<Value> => {
  try {
    return await ask()
  } catch (thrown) {
    throw new Refused(refusalOf(thrown))
  }
}

/** What a failure of `openid-client` means. */
export const refusalOf = (thrown: unknown): SignInRefusal | IamError => {
  const { code, cause } = partsOf(thrown)
  if (thrown instanceof Refused) return thrown.refusal
  if (cause instanceof Refused) return cause.refusal
  if (thrown instanceof AuthorizationResponseError || thrown instanceof ResponseBodyError)
    return { kind: 'ProviderError', error: codeOf(thrown.error) }
  switch (code) {
    case 'OAUTH_WWW_AUTHENTICATE_CHALLENGE':
      return { kind: 'ProviderError', error: challengeOf(cause) }
    case 'OAUTH_JWT_CLAIM_COMPARISON_FAILED':
      return ofClaim(partsOf(cause))
    case 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED':
      return ofAttribute(partsOf(cause).cause ?? cause)
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
      return ofResponse(String(partsOf(cause).message))
  }
  return { kind: 'InvalidResponse' }
}

/** The code of an error, if it is one: a provider could put anything there. */
const codeOf = (error: unknown): string =>
  typeof error === 'string' && /^[a-z_]{1,40}$/.test(error) ? error : 'unknown'

const challengeOf = (challenges: unknown): string => {
  const [challenge] = Array.isArray(challenges) ? challenges : []
  return codeOf(Reflect.get(Object(Reflect.get(Object(challenge), 'parameters')), 'error'))
}

const ofClaim = ({ cause }: Failure): SignInRefusal => {
  switch (Reflect.get(Object(cause), 'claim')) {
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

const ofAttribute = (comparison: unknown): SignInRefusal =>
  Reflect.get(Object(comparison), 'attribute') === 'issuer'
    ? { kind: 'IssuerMismatch' }
    : { kind: 'SubjectMismatch' }

/** By its message, which is a constant: there is no other mark. */
const ofResponse = (message: string): SignInRefusal => {
  if (/"iss"/.test(message)) return { kind: 'IssuerMismatch' }
  if (/"state"/.test(message)) return { kind: 'StateMismatch' }
  if (/"nonce"/.test(message)) return { kind: 'NonceMismatch' }
  if (/"alg"|signature/.test(message)) return { kind: 'SignatureMismatch' }
  return { kind: 'InvalidResponse' }
}
