import type { ServerMetadata } from 'openid-client'
import { authorizationScopes, type IdentityProvider } from '../../index.js'
import type { ProviderCheck } from './checked-provider.js'

/** What the provider says that it offers. */
export const checkOffer = (
  provider: IdentityProvider,
  metadata: ServerMetadata,
): readonly ProviderCheck[] => [
  checkPkce(listed(metadata.code_challenge_methods_supported)),
  checkScopes(authorizationScopes(provider), listed(metadata.scopes_supported)),
  checkAlgorithms(listed(metadata.id_token_signing_alg_values_supported)),
]

/** The provider may send anything. */
const listed = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) ? value : undefined

const checkPkce = (methods: readonly unknown[] | undefined): ProviderCheck => {
  const name = 'pkce'
  if (methods === undefined)
    return { name, verdict: 'warning', message: 'The provider does not say whether it has PKCE.' }
  return methods.includes('S256')
    ? { name, verdict: 'ok', message: 'The provider has PKCE with S256.' }
    : { name, verdict: 'warning', message: 'The provider does not offer PKCE with S256.' }
}

const checkScopes = (
  needed: readonly string[],
  offered: readonly unknown[] | undefined,
): ProviderCheck => {
  const name = 'scopes'
  if (offered === undefined)
    return { name, verdict: 'warning', message: 'The provider does not say which scopes it has.' }
  const absent = needed.filter((scope) => !offered.includes(scope))
  return absent.length === 0
    ? { name, verdict: 'ok', message: 'The provider has all scopes.' }
    : { name, verdict: 'warning', message: `The provider does not offer: ${absent.join(', ')}.` }
}

/** Those of a key pair; of the others every client could sign. */
const ASYMMETRIC = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/

const checkAlgorithms = (offered: readonly unknown[] | undefined): ProviderCheck => {
  const name = 'signing_algorithms'
  if (offered === undefined)
    return { name, verdict: 'warning', message: 'The provider does not say how it signs.' }
  return offered.some((algorithm) => ASYMMETRIC.test(String(algorithm)))
    ? { name, verdict: 'ok', message: 'The provider signs with a key pair.' }
    : { name, verdict: 'failed', message: 'The provider does not sign ID tokens with a key pair.' }
}
