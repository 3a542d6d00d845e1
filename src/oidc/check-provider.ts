import { genericGrantRequest, type ServerMetadata } from 'openid-client'
import { authorizationScopes, type IdentityProvider } from '../index.js'
import { confirmDraft } from './draft.js'
import { checkTest, type TestInput } from './input.js'
import { knownProvider } from './known-providers.js'
import type { Setup } from './options.js'
import {
  clientOf,
  isMixable,
  readDiscovery,
  readKeys,
  refusedEndpoint,
  requireOwnSecret,
  type StoredProvider,
  storedProvider,
} from './provider.js'
import { fromHost, plainText, refusedBy } from './refusal.js'

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
    | 'keys'
    | 'client_authentication'
    | 'secret'
    | 'provider'
  /** `failed`: nobody can sign in. `warning`: a sign-in may fail. */
  readonly verdict: 'ok' | 'warning' | 'failed'
  /** In English, for an administrator; without secrets. */
  readonly message: string
}

/** The outcome of a test. */
export interface CheckedProvider {
  /**
   * In the order in which they ran. Checks that depend on a failed one are absent; `redirect_uri`, `claims` and
   * `client_authentication` are present only if something is wrong. `provider`, the last, says what is known of this
   * provider, as the guide "Providers" does; it is absent for others.
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
    (thrown: unknown) => ({ checks: [undiscovered(thrown, setup), ...checkKnown(stored)] }),
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
    ...checkAuthentication(stored.provider, metadata),
  ]
  const canAsk = checks.every(({ name, verdict }) => name !== 'endpoints' || verdict === 'ok')
  if (!canAsk) return { checks: [...checks, ...checkKnown(stored)] }
  const tested = await Promise.all([
    checkKeys(metadata, setup),
    checkSecret(stored, metadata, setup),
  ])
  checks.push(...tested, ...checkKnown(stored))
  if (checks.every(({ verdict }) => verdict !== 'failed')) await confirmDraft(setup, stored, 'test')
  return { checks }
}

/** The message of a cause, for a sentence. */
const causeOf = (refusal: object): string => {
  const cause: unknown = Reflect.get(refusal, 'cause')
  return cause instanceof Error ? cause.message : 'The provider says nothing more'
}

const checkOf =
  (verdict: ProviderCheck['verdict']) =>
  (name: ProviderCheck['name'], message: string): ProviderCheck => ({ name, verdict, message })

const [ok, warning, failed] = [checkOf('ok'), checkOf('warning'), checkOf('failed')]

const SHARED_REDIRECT_URI = failed(
  'redirect_uri',
  'The provider does not send iss in its responses (RFC 9207), so it needs its own redirect URI: give openIdSignIn a function as redirectUri.',
)

const undiscovered = (thrown: unknown, { notify }: Setup): ProviderCheck => {
  const { refusal } = refusedBy(thrown)
  notify('test', refusal)
  if (refusal.kind === 'IssuerMismatch')
    return failed(
      'issuer',
      `${causeOf(refusal)}, which is not the stored one: store the issuer exactly as the document names it.`,
    )
  const reason = refusal.kind === 'ProviderUnreachable' ? refusal.reason : 'no_document'
  return failed('discovery', UNDISCOVERED[reason])
}

const UNDISCOVERED = {
  address: 'The URL of the issuer is not allowed: it needs https and a public address.',
  redirect: 'The issuer responds with a redirect, which is not followed.',
  timeout: 'The issuer did not respond in time.',
  too_large: 'The discovery document is larger than 512 KiB.',
  certificate: 'The certificate of the issuer is not trusted, has expired, or is for another name.',
  malformed: 'The issuer does not answer as a web server should.',
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

/** Bytes of the modulus of an RSA key, below which `openid-client` accepts no signature. */
const MIN_RSA_BYTES = 256

/** Fetches the key set, and looks for a key that can verify a signature. */
const checkKeys = async ({ jwks_uri: url = '' }: ServerMetadata, setup: Setup) => {
  try {
    const { keys } = await readKeys(url, setup.network)
    return keys.some(canVerify)
      ? ok('keys', `The key set was read: ${keys.length} keys.`)
      : failed('keys', 'The key set has no public key that can verify a signature.')
  } catch (thrown) {
    const { refusal } = refusedBy(thrown)
    setup.notify('test', refusal)
    const reason = refusal.kind === 'ProviderUnreachable' ? refusal.reason : causeOf(refusal)
    return failed('keys', `The key set at jwks_uri cannot be read: ${reason}.`)
  }
}

/** Algorithms of keys that encrypt. Some providers list such keys without `use`. */
const ENCRYPTION = /^(?:RSA-OAEP|RSA1_5|ECDH-ES)/

const canVerify = (key: unknown): boolean => {
  const { kty, use, alg, key_ops: operations, n, crv } = Object(key)
  if (use !== undefined && use !== 'sig') return false
  if (ENCRYPTION.test(alg)) return false
  if (Array.isArray(operations) && !operations.includes('verify')) return false
  if (kty === 'RSA') return typeof n === 'string' && (n.length * 3) / 4 >= MIN_RSA_BYTES
  return (kty === 'EC' || kty === 'OKP') && typeof crv === 'string'
}

/** Sends a made-up code: the provider's response shows whether it accepted the client first. */
const checkSecret = async (
  stored: StoredProvider,
  metadata: ServerMetadata,
  setup: Setup,
): Promise<ProviderCheck> => {
  const unclear = 'The test cannot tell whether the provider accepts client id and secret.'
  const pasted = [
    ...(isPasted(stored.provider.clientId) ? ['client id'] : []),
    ...(isPasted(stored.clientSecret) ? ['client secret'] : []),
  ]
  const hint = pasted
    .map((name) => ` The ${name} begins or ends with a space or a line break.`)
    .join('')
  const code = 'claviger-test-of-the-secret'
  const { details, idpId } = stored.provider
  const redirectUri = await fromHost(() =>
    setup.redirectUriOf({ orgId: details.resourceOwner, idpId }),
  )
  const form = { code, redirect_uri: redirectUri, code_verifier: code.repeat(2) }
  try {
    await genericGrantRequest(clientOf(stored, metadata, setup), 'authorization_code', form)
    return warning('secret', unclear + hint)
  } catch (thrown) {
    const { refusal } = refusedBy(thrown, 'other', [stored.clientSecret])
    const error = refusal.kind === 'ProviderError' ? refusal.error : refusal.kind
    if (error === 'invalid_grant')
      return ok('secret', 'The provider seems to accept client id and secret.')
    setup.notify('test', refusal)
    if (error === 'invalid_client')
      return failed(
        'secret',
        `The provider rejects client id or secret.${hint} It says: ${causeOf(refusal)}`,
      )
    return warning('secret', `${unclear}${hint} It says: ${causeOf(refusal)}`)
  }
}

const isPasted = (text: string): boolean => text.trim() !== text

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
  const scopes = authorizationScopes(provider)
  const { usernameMapping, displayNameMapping } = provider
  const needsUsername = [usernameMapping, displayNameMapping].includes(
    'OIDC_MAPPING_FIELD_PREFERRED_USERNAME',
  )
  const messages = [
    ...(scopes.includes('email')
      ? []
      : ['The scope email is not requested: users have no e-mail address.']),
    ...(needsUsername && !scopes.includes('profile')
      ? ['The mapping needs preferred_username, but the scope profile is not requested.']
      : []),
  ]
  return messages.length === 0 ? [] : [warning('claims', messages.join(' '))]
}

/** Warns where the provider does not offer the method that is used, such as with `private_key_jwt` alone. */
const checkAuthentication = (
  { signIn }: IdentityProvider,
  metadata: ServerMetadata,
): readonly ProviderCheck[] => {
  const offered = listed(metadata.token_endpoint_auth_methods_supported) ?? []
  const chosen = signIn?.clientAuthentication
  const methods = chosen ? [chosen.replace('raw_basic', BASIC)] : [BASIC, 'client_secret_post']
  if (offered.length === 0 || methods.some((method) => offered.includes(method))) return []
  const used = methods.join(' and ')
  const others = plainText(offered.join(', '))
  const message = `The provider offers ${others} to authenticate clients, but not ${used}.`
  return [warning('client_authentication', message)]
}

const BASIC = 'client_secret_basic'

/** Says what is known of the provider. */
const checkKnown = ({ provider }: StoredProvider): readonly ProviderCheck[] => {
  const known = knownProvider(provider.issuer)
  if (!known) return []
  return [checkOf(known.verdict)('provider', `${known.name}: ${known.advice}`)]
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
