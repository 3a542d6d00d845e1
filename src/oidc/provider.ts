import {
  allowInsecureRequests,
  type ClientAuth,
  ClientSecretPost,
  Configuration,
  type CustomFetchOptions,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  type JWKS,
  type ServerMetadata,
  setJwksCache,
} from 'openid-client'
import type { Caller, Iam, IdentityProvider, SignInSettings } from '../index.js'
import { isAllowed } from '../network/address.js'
import { NetworkFault } from '../network/fault.js'
import { bytesOf, type NetworkOptions, request } from '../network/request.js'
import type { DocumentCache } from './document-cache.js'
import { namedIssuer, orRefuse, plainText, Refused, unreachable, withRefusals } from './refusal.js'

/** A provider and its secret, as of one event. */
export interface StoredProvider {
  readonly provider: IdentityProvider
  readonly clientSecret: string
  /** The issuer when the secret was set, if it is not the current one. */
  readonly givenFor?: string
}

/** Requests to providers, and their cached responses. */
export interface ProviderAccess {
  readonly network: NetworkOptions
  /** By issuer. */
  readonly discoveries: DocumentCache<ServerMetadata>
  /** By URL. */
  readonly keySets: DocumentCache<JWKS>
}

/** Most reads of a provider that changes between one read and the next. */
const MAX_READS = 10

/**
 * Reads a provider and its secret until both are of one event: a new secret must never go to an old issuer.
 *
 * @throws Refused; with `Aborted` when the provider changes all the time
 */
export const storedProvider = async (
  { identityProviders }: Pick<Iam, 'identityProviders'>,
  context: { readonly caller: Caller; readonly orgId: string },
  idpId: string,
): Promise<StoredProvider> => {
  for (let reads = 1; reads <= MAX_READS; reads++) {
    const revealed = await orRefuse(identityProviders.revealClientSecret({ idpId }, context))
    const provider = await orRefuse(identityProviders.get({ idpId }, context))
    const { details, ...secret } = revealed
    if (provider.details.sequence === details.sequence) return { provider, ...secret }
  }
  throw new Refused({ kind: 'Aborted', attempts: MAX_READS })
}

/** The validated discovery document of a provider; at most five minutes old. @throws Refused */
export const discover = async (
  stored: StoredProvider,
  { network, discoveries }: ProviderAccess,
): Promise<ServerMetadata> => {
  const { issuer } = stored.provider
  const read = () => readDiscovery(stored, network)
  const metadata = discoveries.find(issuer) ?? (await discoveries.load(issuer, 0, read))
  if (refusedEndpoint(metadata, network) === undefined) return metadata
  discoveries.expire(issuer)
  throw unreachable('address')
}

/** The discovery document of a provider, before its endpoints are checked. @throws Refused */
export const readDiscovery = async (
  { provider }: StoredProvider,
  network: NetworkOptions,
): Promise<ServerMetadata> => {
  if (!URL.canParse(provider.issuer)) throw unreachable('address')
  const issuer = new URL(provider.issuer)
  if (!isAllowed(issuer, network)) throw unreachable('address')
  const options = {
    [customFetch]: async (url: string, init: CustomFetchOptions) =>
      withoutOddities(await askProvider(network)(url, init)),
    execute: network.allowHttpLoopback ? [allowInsecureRequests] : [],
  }
  const found = await withRefusals(() =>
    discovery(issuer, provider.clientId, undefined, undefined, options),
  )
  const metadata = found.serverMetadata()
  if (new URL(metadata.issuer).href !== issuer.href)
    throw new Refused({ kind: 'IssuerMismatch' }, new Error(namedIssuer(metadata.issuer)))
  return metadata
}

/** Without which nobody can sign in. The user info is left out if it may not be asked; no other endpoint is used. */
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const

/** The first endpoint whose URL may not be used. */
export const refusedEndpoint = (
  metadata: ServerMetadata,
  network: NetworkOptions,
): string | undefined =>
  ENDPOINTS.find(
    (endpoint) => metadata[endpoint] !== undefined && !isUsable(metadata[endpoint], network),
  )

/** Whether a provider may be asked at this endpoint. */
export const isUsable = (url: unknown, network: NetworkOptions): boolean =>
  typeof url === 'string' && URL.canParse(url) && isAllowed(new URL(url), network)

/** Whether the provider sends `iss` in its responses (RFC 9207). */
export const namesIssuer = (metadata: ServerMetadata): boolean =>
  Boolean(metadata.authorization_response_iss_parameter_supported)

/**
 * Whether nothing in a response distinguishes this provider from others. A hostile provider could then send the browser
 * to it and get its code (RFC 9700, section 4.4).
 */
export const isMixable = (
  { redirectUri }: { readonly redirectUri: unknown },
  metadata: ServerMetadata,
): boolean => typeof redirectUri === 'string' && !namesIssuer(metadata)

/** A secret is never sent to another origin than it was given for. @throws Refused */
export const requireOwnSecret = ({ givenFor }: StoredProvider): void => {
  if (givenFor !== undefined) throw new Refused({ kind: 'SecretForOtherIssuer' })
}

/** The client of a provider. It is created for each use, so that no old secret is kept. @throws Refused */
export const clientOf = (
  stored: StoredProvider,
  metadata: ServerMetadata,
  { network, keySets }: ProviderAccess,
): Configuration => {
  requireOwnSecret(stored)
  const { provider, clientSecret } = stored
  const method = provider.signIn?.clientAuthentication ?? offeredMethod(metadata)
  const authentication = AUTHENTICATIONS[method](clientSecret)
  const { id_token_signing_alg_values_supported: algorithms = ['RS256'] } = metadata
  // Not every provider that signs the user info says so.
  const server = { userinfo_signing_alg_values_supported: algorithms, ...metadata }
  const client = new Configuration(server, provider.clientId, undefined, authentication)
  const ask = askProvider(network)
  client[customFetch] = async (url, options) => {
    if (!isForKeys(options)) {
      const answer = await ask(url, options)
      return options.method === 'POST' ? withoutOddities(answer, UNUSED) : answer
    }
    const read = async (): Promise<JWKS> => keySetIn(await ask(url, options))
    return Response.json(await keySets.load(url, KEYS_PAUSE_MS, read))
  }
  // Otherwise the signature of an ID token from the token endpoint is not checked.
  enableNonRepudiationChecks(client)
  if (network.allowHttpLoopback) allowInsecureRequests(client)
  const keys = keySets.find(keySetOf(metadata))
  const now = Math.floor(Date.now() / 1_000)
  if (keys) setJwksCache(client, { jwks: keys, uat: now - ASKED_AGAIN_AFTER_S })
  return client
}

type AuthenticationMethod = NonNullable<SignInSettings['clientAuthentication']>

/** How to send the secret to a provider whose settings do not say. */
const offeredMethod = (metadata: ServerMetadata): AuthenticationMethod => {
  const offered: unknown = metadata.token_endpoint_auth_methods_supported
  const methods: readonly unknown[] = Array.isArray(offered) ? offered : []
  const isPost = methods.includes('client_secret_post') && !methods.includes('client_secret_basic')
  return isPost ? 'client_secret_post' : 'client_secret_basic'
}

/** The header `Authorization` with a client id and a secret that `encode` has written. */
const basic =
  (encode: (text: string) => string) =>
  (secret: string): ClientAuth =>
  (_, { client_id: clientId }, __, headers) => {
    const bytes = new TextEncoder().encode(`${encode(clientId)}:${encode(secret)}`)
    headers.set('authorization', `Basic ${btoa(String.fromCharCode(...bytes))}`)
  }

/**
 * As of a form (RFC 6749, section 2.3.1), but with `-._~!*'()` as they are: who decodes it reads the same, and so do
 * those who do not, of most secrets.
 */
const formEncoded = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+')

const AUTHENTICATIONS = {
  client_secret_basic: basic(formEncoded),
  client_secret_post: ClientSecretPost,
  raw_basic: basic((text) => text),
} as const satisfies Record<AuthenticationMethod, (secret: string) => ClientAuth>

/** Cache key of a provider's key set; empty without one. */
export const keySetOf = ({ jwks_uri: url }: ServerMetadata): string =>
  url === undefined ? '' : new URL(url).href

/** Fields of a token response that are not used, and whose odd shapes other clients overlook. */
const UNUSED = ['scope', 'expires_in']

/**
 * A response without null, empty and unused fields: `openid-client` refuses a scope that is a list. An error with status
 * 200, as of Slack, gets the status of an error.
 */
const withoutOddities = async (
  answer: Response,
  unused: readonly string[] = [],
): Promise<Response> => {
  if (!/\bjson\b/i.test(answer.headers.get('content-type') ?? '')) return answer
  const body: unknown = await answer
    .clone()
    .json()
    .catch(() => undefined)
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return answer
  const isUsed = ([name, value]: [string, unknown]) =>
    value !== null && value !== '' && !unused.includes(name)
  const used = Object.fromEntries(Object.entries(body).filter(isUsed))
  const isError = answer.ok && 'error' in used && !('access_token' in used)
  const status = isError ? 400 : answer.status
  return new Response(JSON.stringify(used), { status, headers: answer.headers })
}

/** Age from which `openid-client` fetches a key set again for an unknown key id, in seconds. */
const ASKED_AGAIN_AFTER_S = 60

/** Pause between two requests for the same key set, in milliseconds. */
const KEYS_PAUSE_MS = 10_000

/** No other request accepts a key set. */
const isForKeys = ({ headers }: CustomFetchOptions): boolean =>
  new Headers(headers).get('accept')?.includes('application/jwk-set+json') === true

/** Keys, each once, without members that are null. @throws Refused when a response is not a key set */
const keySetIn = async (answer: Response): Promise<JWKS> => {
  const type = answer.headers.get('content-type') ?? ''
  const isJson = /^application\/(jwk-set\+)?json\b/i.test(type)
  const { keys } = Object(await answer.json().catch(() => undefined))
  if (answer.status !== 200 || !isJson || !Array.isArray(keys)) {
    const reason = `The key set is no JSON with keys, but status ${answer.status}`
    const named = answer.ok ? ` (${plainText(type)})` : ''
    throw new Refused({ kind: 'InvalidResponse' }, new Error(reason + named))
  }
  const texts = keys.map((key) => JSON.stringify(key, (_, member) => member ?? undefined))
  const objects = new Set(texts.filter((text) => text?.startsWith('{')))
  return { keys: [...objects].map((text) => JSON.parse(text)) }
}

/** The key set of a provider, as it is now. @throws Refused */
export const readKeys = async (url: string, network: NetworkOptions): Promise<JWKS> => {
  const headers = { accept: 'application/json, application/jwk-set+json' }
  const init = { method: 'GET', headers, body: undefined, redirect: 'manual' } as const
  return keySetIn(await askProvider(network)(url, init))
}

/** Most bytes of a response after decompression. */
const MAX_BYTES = 512 * 1024

/** A `fetch` for `openid-client`: only allowed URLs, and complete responses of bounded size and time. */
export const askProvider = (options: NetworkOptions) => {
  const ask = request(options)
  return async (url: string, { method, headers, body }: CustomFetchOptions): Promise<Response> => {
    // `openid-client` sends only forms.
    const form = body === undefined || body === null ? null : String(body)
    try {
      return await ask({ url, init: { method, headers, body: form }, read: whole })
    } catch (thrown) {
      throw thrown instanceof NetworkFault ? unreachable(thrown.reason, thrown.cause) : thrown
    }
  }
}

/** The response with its whole body. @throws NetworkFault */
const whole = async (answer: Response): Promise<Response> => {
  const { status, headers } = answer
  const chunks = await bytesOf(answer, MAX_BYTES)
  if (chunks === undefined) throw new NetworkFault('too_large')
  const hasBody = status !== 204 && status !== 205
  return new Response(hasBody ? new Blob([...chunks]) : null, { status, headers })
}
