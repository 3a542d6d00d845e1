import { genericGrantRequest, type ServerMetadata } from 'openid-client'
import { checkTest, type TestInput } from '../input.js'
import type { Setup } from '../options.js'
import { clientOf, readMetadata, refusedEndpoint } from '../provider/client.js'
import { type StoredProvider, storedProvider } from '../provider/stored-provider.js'
import { refusalOf } from '../refusal-of.js'
import { checkOffer } from './check-offer.js'
import type { CheckedProvider, ProviderCheck } from './checked-provider.js'

/** @throws Refused */
export const checkProvider = async (setup: Setup, input: TestInput): Promise<CheckedProvider> => {
  checkTest(input)
  const { options } = setup
  const stored = await storedProvider(options.iam, await setup.contextOf(input.orgId), input.idpId)
  const found = await readMetadata(stored, options).then(
    (metadata) => ({ metadata }),
    (thrown: unknown) => ({ checks: [undiscovered(thrown)] }),
  )
  if ('checks' in found) return found
  const { metadata } = found
  const checks: ProviderCheck[] = [
    { name: 'discovery', verdict: 'ok', message: 'The discovery document was read.' },
    { name: 'issuer', verdict: 'ok', message: 'The issuer is the one that is stored.' },
    checkEndpoints(metadata, setup),
    ...checkOffer(stored.provider, metadata),
  ]
  const canAsk = checks.every(({ name, verdict }) => name !== 'endpoints' || verdict === 'ok')
  return { checks: canAsk ? [...checks, await checkSecret(stored, metadata, setup)] : checks }
}

const undiscovered = (thrown: unknown): ProviderCheck => {
  const refusal = refusalOf(thrown)
  if (refusal.kind === 'IssuerMismatch') {
    const message = 'The discovery document names another issuer than the one that is stored.'
    return { name: 'issuer', verdict: 'failed', message }
  }
  const reason = refusal.kind === 'ProviderUnreachable' ? refusal.reason : 'no_document'
  return { name: 'discovery', verdict: 'failed', message: UNDISCOVERED[reason] }
}

const UNDISCOVERED = {
  address: 'The issuer is no URL that may be asked: it needs https and a public address.',
  redirect: 'The issuer answers with a redirect, which is not followed.',
  timeout: 'The issuer did not answer in time.',
  too_large: 'The discovery document is larger than 512 KiB.',
  network: 'The issuer cannot be reached.',
  no_document: 'The issuer does not answer with a discovery document.',
} as const

const NEEDED = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

const checkEndpoints = (metadata: ServerMetadata, { options }: Setup): ProviderCheck => {
  const name = 'endpoints'
  const absent = NEEDED.find((endpoint) => metadata[endpoint] === undefined)
  if (absent !== undefined)
    return { name, verdict: 'failed', message: `The discovery document has no ${absent}.` }
  const refused = refusedEndpoint(metadata, options)
  if (refused !== undefined)
    return { name, verdict: 'failed', message: `${refused} needs https and a public address.` }
  return { name, verdict: 'ok', message: 'All endpoints are there.' }
}

/** By a code that the provider never gave: its answer tells whether it took the client before. */
const checkSecret = async (
  stored: StoredProvider,
  metadata: ServerMetadata,
  { options }: Setup,
): Promise<ProviderCheck> => {
  const name = 'secret'
  const unclear = 'It is not clear whether the provider takes client id and secret.'
  const code = 'claviger-test-of-the-secret'
  const form = { code, redirect_uri: options.redirectUri, code_verifier: code.repeat(2) }
  try {
    await genericGrantRequest(clientOf(stored, metadata, options), 'authorization_code', form)
    return { name, verdict: 'warning', message: unclear }
  } catch (thrown) {
    const refusal = refusalOf(thrown)
    const error = refusal.kind === 'ProviderError' ? refusal.error : refusal.kind
    if (error === 'invalid_grant')
      return { name, verdict: 'ok', message: 'The provider seems to take client id and secret.' }
    if (error === 'invalid_client')
      return { name, verdict: 'failed', message: 'The provider refuses client id or secret.' }
    return { name, verdict: 'warning', message: `${unclear} It answers: ${error}.` }
  }
}
