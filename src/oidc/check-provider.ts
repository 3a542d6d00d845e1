import { genericGrantRequest, type ServerMetadata } from 'openid-client'
import { authorizationScopes, type IdentityProvider } from '../index.js'
import { checkTest, type TestInput } from './input.js'
import type { Setup } from './options.js'
import {
  clientOf,
  isMixable,
  readDiscovery,
  refusedEndpoint,
  requireOwnSecret,
  type StoredProvider,
  storedProvider,
} from './provider.js'
import { refusalOf } from './refusal.js'

/** One check of a provider. */
export interface ProviderCheck {
  /** Name of the check. */
  readonly name:
    | 'discovery'
    | 'issuer'
    | 'endpoints'
    | 'redirect_uri'
    | 'pkce'
    | 'scopes'
    | 'claims'
    | 'signing_algorithms'
    | 'secret'
  /** `failed`: nobody can sign in. `warning`: a sign-in may fail. */
  readonly verdict: 'ok' | 'warning' | 'failed'
  /** In English, for an administrator; without secrets. */
  readonly message: string
}

/** The outcome of a test. */
export interface CheckedProvider {
  /**
   * In the order in which they ran. Checks that depend on a failed one are absent; `redirect_uri` and `claims` are
   * present only if something is wrong.
   */
  readonly checks: readonly ProviderCheck[]
}

/** @throws Refused */
export const checkProvider = async (setup: Setup, input: TestInput): Promise<CheckedProvider> => {
  checkTest(input)
  const stored = await storedProvider(
    setup.options.iam,
    await setup.contextOf(input.orgId),
    input.idpId,
  )
  requireOwnSecret(stored)
  const found = await readDiscovery(stored, setup.network).then(
    (metadata) => ({ metadata }),
    (thrown: unknown) => ({ checks: [undiscovered(thrown)] }),
  )
  if ('checks' in found) return found
  const { metadata } = found
  const checks: ProviderCheck[] = [
    { name: 'discovery', verdict: 'ok', message: 'The discovery document was read.' },
    { name: 'issuer', verdict: 'ok', message: 'The issuer matches the stored one.' },
    checkEndpoints(metadata, setup),
    ...(isMixable(setup, metadata) ? [SHARED_REDIRECT_URI] : []),
    ...checkOffer(stored.provider, metadata),
    ...checkClaims(stored.provider),
  ]
  const canAsk = checks.every(({ name, verdict }) => name !== 'endpoints' || verdict === 'ok')
  return { checks: canAsk ? [...checks, await checkSecret(stored, metadata, setup)] : checks }
}

const SHARED_REDIRECT_URI: ProviderCheck = {
  name: 'redirect_uri',
  verdict: 'failed',
  message:
    'The provider does not send iss in its responses (RFC 9207), so it needs its own redirect URI: give openIdSignIn a function as redirectUri.',
}

const undiscovered = (thrown: unknown): ProviderCheck => {
  const refusal = refusalOf(thrown)
  if (refusal.kind === 'IssuerMismatch') {
    const message = 'The discovery document names another issuer than the stored one.'
    return { name: 'issuer', verdict: 'failed', message }
  }
  const reason = refusal.kind === 'ProviderUnreachable' ? refusal.reason : 'no_document'
  return { name: 'discovery', verdict: 'failed', message: UNDISCOVERED[reason] }
}

const UNDISCOVERED = {
  address: 'The URL of the issuer is not allowed: it needs https and a public address.',
  redirect: 'The issuer responds with a redirect, which is not followed.',
  timeout: 'The issuer did not respond in time.',
  too_large: 'The discovery document is larger than 512 KiB.',
  network: 'The issuer cannot be reached.',
  no_document: 'The issuer does not return a discovery document.',
} as const

const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

const checkEndpoints = (metadata: ServerMetadata, { network }: Setup): ProviderCheck => {
  const name = 'endpoints'
  const absent = NEEDED.find((endpoint) => metadata[endpoint] === undefined)
  if (absent !== undefined)
    return { name, verdict: 'failed', message: `The discovery document has no ${absent}.` }
  const refused = refusedEndpoint(metadata, network)
  if (refused !== undefined)
    return { name, verdict: 'failed', message: `${refused} needs https and a public address.` }
  return { name, verdict: 'ok', message: 'The discovery document has all endpoints.' }
}

/** Sends a made-up code: the provider's response shows whether it accepted the client first. */
const checkSecret = async (
  stored: StoredProvider,
  metadata: ServerMetadata,
  setup: Setup,
): Promise<ProviderCheck> => {
  const name = 'secret'
  const unclear = 'The test cannot tell whether the provider accepts client id and secret.'
  const code = 'claviger-test-of-the-secret'
  const { details, idpId } = stored.provider
  const redirectUri = await setup.redirectUriOf({ orgId: details.resourceOwner, idpId })
  const form = { code, redirect_uri: redirectUri, code_verifier: code.repeat(2) }
  try {
    await genericGrantRequest(clientOf(stored, metadata, setup), 'authorization_code', form)
    return { name, verdict: 'warning', message: unclear }
  } catch (thrown) {
    const refusal = refusalOf(thrown)
    const error = refusal.kind === 'ProviderError' ? refusal.error : refusal.kind
    if (error === 'invalid_grant')
      return { name, verdict: 'ok', message: 'The provider seems to accept client id and secret.' }
    if (error === 'invalid_client')
      return { name, verdict: 'failed', message: 'The provider rejects client id or secret.' }
    return { name, verdict: 'warning', message: `${unclear} Its response: ${error}.` }
  }
}

/** Checks the contents of the discovery document. */
const checkOffer = (
  provider: IdentityProvider,
  metadata: ServerMetadata,
): readonly ProviderCheck[] => [
  checkPkce(listed(metadata.code_challenge_methods_supported)),
  checkScopes(authorizationScopes(provider), listed(metadata.scopes_supported)),
  checkAlgorithms(listed(metadata.id_token_signing_alg_values_supported)),
]

/** A list in the discovery document, which may contain anything. */
const listed = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) ? value : undefined

const checkPkce = (methods: readonly unknown[] | undefined): ProviderCheck => {
  const name = 'pkce'
  if (methods === undefined)
    return {
      name,
      verdict: 'warning',
      message: 'The discovery document does not say whether the provider supports PKCE.',
    }
  return methods.includes('S256')
    ? { name, verdict: 'ok', message: 'The provider supports PKCE with S256.' }
    : { name, verdict: 'warning', message: 'The provider does not support PKCE with S256.' }
}

const checkScopes = (
  needed: readonly string[],
  offered: readonly unknown[] | undefined,
): ProviderCheck => {
  const name = 'scopes'
  if (offered === undefined)
    return { name, verdict: 'warning', message: 'The discovery document does not list the scopes.' }
  const absent = needed.filter((scope) => !offered.includes(scope))
  return absent.length === 0
    ? { name, verdict: 'ok', message: 'The provider supports all scopes.' }
    : { name, verdict: 'warning', message: `The provider does not support: ${absent.join(', ')}.` }
}

/** Warns about claims that a sign-in needs and whose scope is not requested. */
const checkClaims = (provider: IdentityProvider): readonly ProviderCheck[] => {
  const asked = authorizationScopes(provider)
  const { usernameMapping, displayNameMapping } = provider
  const needsUsername = [usernameMapping, displayNameMapping].includes(
    'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  )
  const messages = [
    ...(asked.includes('email')
      ? []
      : ['The scope email is not requested: users have no e-mail address.']),
    ...(needsUsername && !asked.includes('profile')
      ? ['The mapping needs preferred_username, but the scope profile is not requested.']
      : []),
  ]
  if (messages.length === 0) return []
  return [{ name: 'claims', verdict: 'warning', message: messages.join(' ') }]
}

/** Algorithms with a key pair: with any other, every client could sign. */
const ASYMMETRIC = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/

const checkAlgorithms = (offered: readonly unknown[] | undefined): ProviderCheck => {
  const name = 'signing_algorithms'
  if (offered === undefined)
    return {
      name,
      verdict: 'warning',
      message: 'The discovery document does not say how ID tokens are signed.',
    }
  return offered.some((algorithm) => ASYMMETRIC.test(String(algorithm)))
    ? { name, verdict: 'ok', message: 'The provider signs with a key pair.' }
    : { name, verdict: 'failed', message: 'The provider does not sign ID tokens with a key pair.' }
}
