import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  Configuration,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type ServerMetadata,
} from 'openid-client'
import { isAllowed, type NetworkOptions } from '../../network/guarded-fetch.js'
import { Refused, unreachable } from '../refusal.js'
import { asking } from '../refusal-of.js'
import { askProvider } from './ask-provider.js'
import type { DiscoveryCache } from './discovery-cache.js'
import type { StoredProvider } from './stored-provider.js'

/** What a provider says of itself, checked; at most five minutes old. @throws Refused */
export const discover = async (
  stored: StoredProvider,
  network: NetworkOptions,
  cache: DiscoveryCache,
): Promise<ServerMetadata> => {
  const { issuer } = stored.provider
  const kept = cache.find(issuer)
  if (kept !== undefined) return kept
  const metadata = await readMetadata(stored, network)
  if (refusedEndpoint(metadata, network) !== undefined) throw unreachable('address')
  cache.keep(issuer, metadata)
  return metadata
}

/** Before its endpoints are checked. @throws Refused */
export const readMetadata = async (
  { provider }: StoredProvider,
  network: NetworkOptions,
): Promise<ServerMetadata> => {
  if (!URL.canParse(provider.issuer)) throw unreachable('address')
  const issuer = new URL(provider.issuer)
  if (!isAllowed(issuer, network)) throw unreachable('address')
  const options = {
    [customFetch]: askProvider(network),
    execute: network.allowHttpLoopback ? [allowInsecureRequests] : [],
  }
  const found = await asking(() =>
    discovery(issuer, provider.clientId, undefined, undefined, options),
  )
  const metadata = found.serverMetadata()
  if (new URL(metadata.issuer).href !== issuer.href) throw new Refused({ kind: 'IssuerMismatch' })
  return metadata
}

const ENDPOINTS = [
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'userinfo_endpoint',
  'end_session_endpoint',
] as const

/** The first endpoint whose URL may not be used. */
export const refusedEndpoint = (
  metadata: ServerMetadata,
  network: NetworkOptions,
): string | undefined =>
  ENDPOINTS.find((endpoint) => {
    const url = metadata[endpoint]
    if (url === undefined) return false
    return typeof url !== 'string' || !URL.canParse(url) || !isAllowed(new URL(url), network)
  })

/** The client of a provider. Made anew for each use, so that no old secret is kept. */
export const clientOf = (
  { provider, clientSecret }: StoredProvider,
  metadata: ServerMetadata,
  network: NetworkOptions,
): Configuration => {
  const offered: unknown = metadata.token_endpoint_auth_methods_supported
  const methods: readonly unknown[] = Array.isArray(offered) ? offered : ['client_secret_basic']
  const isPost = methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
  const authentication = isPost ? ClientSecretPost(clientSecret) : ClientSecretBasic(clientSecret)
  const client = new Configuration(metadata, provider.clientId, undefined, authentication)
  client[customFetch] = askProvider(network)
  // Else the signature of an ID token that comes from the token endpoint is not checked.
  enableNonRepudiationChecks(client)
  if (network.allowHttpLoopback) allowInsecureRequests(client)
  return client
}
