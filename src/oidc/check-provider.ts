import { genericGrantRequest, type ServerMetadata } from 'openid-client'
import { authorizationScopes, type IdentityProvider } from '../index.js'
import { confirmDraft } from './draft.js'
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
    ok('discovery', 'The discovery document was read.'),
    ok('issuer', 'The issuer matches the stored one.'),
    checkEndpoints(metadata, setup),
    ...(isMixable(setup, metadata) ? [SHARED_REDIRECT_URI] : []),
    checkPkce(listed(metadata.code_challenge_methods_supported)),
    checkScopes(authorizationScopes(stored.provider), listed(metadata.scopes_supported)),
    checkAlgorithms(listed(metadata.id_token_signing_alg_values_supported)),
    ...checkClaims(stored.provider),
  ]
  const canAsk = checks.every(({ name, verdict }) => name !== 'endpoints' || verdict === 'ok')
  if (canAsk) checks.push(await checkSecret(stored, metadata, setup))
  if (checks.every(({ verdict }) => verdict !== 'failed')) await confirmDraft(setup, stored, 'test')
  return { checks }
}

const checkOf =
  (verdict: ProviderCheck['verdict']) =>
  (name: ProviderCheck['name'], message: string): ProviderCheck => ({ name, verdict, message })

const [ok, warning, failed] = [checkOf('ok'), checkOf('warning'), checkOf('failed')]

const SHARED_REDIRECT_URI = failed(
  'redirect_uri',
  'The provider does not send iss in its responses (RFC 9207), so it needs its own redirect URI: give openIdSignIn a function as redirectUri.',
)

const undiscovered = (thrown: unknown): ProviderCheck => {
  const refusal = refusalOf(thrown)
  if (refusal.kind === 'IssuerMismatch')
    return failed('issuer', 'The discovery document names another issuer than the stored one.')
  const reason = refusal.kind === 'ProviderUnreachable' ? refusal.reason : 'no_document'
  return failed('discovery', UNDISCOVERED[reason])
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
  const absent = NEEDED.find((endpoint) => metadata[endpoint] === undefined)
  if (absent !== undefined) return failed('endpoints', `The discovery document has no ${absent}.`)
  const refused = refusedEndpoint(metadata, network)
  return refused === undefined
    ? ok('endpoints', 'The discovery document has all endpoints.')
    : failed('endpoints', `${refused} needs https and a public address.`)
}

/** Sends a made-up code: the provider's response shows whether it accepted the client first. */
const checkSecret = async (
  stored: StoredProvider,
  metadata: ServerMetadata,
  setup: Setup,
): Promise<ProviderCheck> => {
  const unclear = 'The test cannot tell whether the provider accepts client id and secret.'
  const code = 'claviger-test-of-the-secret'
  const { details, idpId } = stored.provider
  const redirectUri = await setup.redirectUriOf({ orgId: details.resourceOwner, idpId })
  const form = { code, redirect_uri: redirectUri, code_verifier: code.repeat(2) }
  try {
    await genericGrantRequest(clientOf(stored, metadata, setup), 'authorization_code', form)
    return warning('secret', unclear)
  } catch (thrown) {
    const refusal = refusalOf(thrown)
    const error = refusal.kind === 'ProviderError' ? refusal.error : refusal.kind
    if (error === 'invalid_grant')
      return ok('secret', 'The provider seems to accept client id and secret.')
    if (error === 'invalid_client')
      return failed('secret', 'The provider rejects client id or secret.')
    return warning('secret', `${unclear} Its response: ${error}.`)
  }
}

/** A list in the discovery document, which may contain anything. */
const listed = (value: unknown): readonly unknown[] | undefined =>
  Array.isArray(value) ? value : undefined

const checkPkce = (methods: readonly unknown[] | undefined): ProviderCheck => {
  if (methods === undefined)
    return warning(
      'pkce',
      'The discovery document does not say whether the provider supports PKCE.',
    )
  return methods.includes('S256')
    ? ok('pkce', 'The provider supports PKCE with S256.')
    : warning('pkce', 'The provider does not support PKCE with S256.')
}

const checkScopes = (
  needed: readonly string[],
  offered: readonly unknown[] | undefined,
): ProviderCheck => {
  if (offered === undefined)
    return warning('scopes', 'The discovery document does not list the scopes.')
  const absent = needed.filter((scope) => !offered.includes(scope))
  return absent.length === 0
    ? ok('scopes', 'The provider supports all scopes.')
    : warning('scopes', `The provider does not support: ${absent.join(', ')}.`)
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
  return messages.length === 0 ? [] : [warning('claims', messages.join(' '))]
}

/** Algorithms with a key pair: with any other, every client could sign. */
const ASYMMETRIC = /^((RS|PS|ES)(256|384|512)|EdDSA|Ed25519)$/

const checkAlgorithms = (offered: readonly unknown[] | undefined): ProviderCheck => {
  const name = 'signing_algorithms'
  if (offered === undefined)
    return warning(name, 'The discovery document does not say how ID tokens are signed.')
  return offered.some((algorithm) => ASYMMETRIC.test(String(algorithm)))
    ? ok(name, 'The provider signs with a key pair.')
    : failed(name, 'The provider does not sign ID tokens with a key pair.')
}
