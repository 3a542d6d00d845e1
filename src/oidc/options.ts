import { checkOptions, FUNCTION, type KnownOptions } from '../check-options.js'
import type { Caller, Iam } from '../index.js'
import { NETWORK_OPTIONS, type NetworkOptions } from '../network/guarded-fetch.js'
import { type Sealing, sealing } from './attempt.js'
import { documentCache } from './document-cache.js'
import type { GroupsOption } from './groups.js'
import type { ProviderAccess, StoredProvider } from './provider.js'
import { fromHost } from './refusal.js'
import type { SignedIn } from './signed-in.js'

/** Names a provider. */
export interface ProviderIds {
  /** Organization of the provider. */
  readonly orgId: string
  /** Id of the provider, unique within its organization. */
  readonly idpId: string
}

/** Options of `openIdSignIn`. */
export interface SignInOptions extends NetworkOptions {
  /** Keeps the providers. */
  readonly iam: Pick<Iam, 'identityProviders' | 'access' | 'domains' | 'memberships'>
  /**
   * Acts for the sign-in, in the organization of the provider. Needs `identity_provider.read` and
   * `identity_provider.secret.read`; `user.grant.read` where `begin` is given a project; and `membership.write` with
   * `groups`.
   */
  readonly caller: Caller | ((orgId: string) => Caller)
  /**
   * Where a provider sends browsers back: an absolute URL of `https` or `http`, without query and fragment. A function
   * answers a URL with a path of its own for each provider, made from both ids, and `finish` compares that path. With
   * one URL for all, providers that do not name themselves in their answers (RFC 9207) are refused.
   */
  readonly redirectUri: string | ((provider: ProviderIds) => string)
  /** Seals attempts: 32 random bytes, the same in all processes. They are copied. */
  readonly key: Uint8Array
  /** Finds the user of the host; undefined for one that the host does not know. */
  readonly userIdOf?:
    | ((user: SignedIn) => string | undefined | Promise<string | undefined>)
    | undefined
  /**
   * Reports the groups of each user whom `userIdOf` knows, by `iam.memberships.report`, so that role mappings give roles.
   * TypeError without `userIdOf`.
   */
  readonly groups?: GroupsOption | undefined
}

/** Checked options, with the caches and functions that all calls share. */
export interface Setup extends Sealing, ProviderAccess {
  readonly options: SignInOptions
  readonly contextOf: (
    orgId: string,
  ) => Promise<{ readonly caller: Caller; readonly orgId: string }>
  /** The redirect URI of a provider. */
  readonly redirectUriOf: (provider: ProviderIds) => Promise<string>
  /** Keyed hash of what a sign-in depends on: not the name of a provider, nor how its secret is sealed. */
  readonly hashOf: (stored: StoredProvider) => Promise<string>
}

/** @throws TypeError, RangeError @see Setup */
export const setUp = (options: SignInOptions): Setup => {
  checkSignInOptions(options)
  const sealed = sealing(options.key)
  const { caller, redirectUri } = options
  return {
    ...sealed,
    options,
    network: options,
    discoveries: documentCache(FAILURE_PAUSE_MS),
    keySets: documentCache(FAILURE_PAUSE_MS),
    contextOf: async (orgId) => ({
      caller: await fromHost(() => (typeof caller === 'function' ? caller(orgId) : caller)),
      orgId,
    }),
    redirectUriOf: ({ orgId, idpId }) =>
      fromHost(() => {
        if (typeof redirectUri === 'string') return redirectUri
        const uri = redirectUri({ orgId, idpId })
        if (!isRedirectUri(uri)) throw new TypeError(`redirectUri must return ${REDIRECT_URI}`)
        return uri
      }),
    hashOf: ({ provider, clientSecret }) => {
      const { issuer, clientId, scopes, usernameMapping, displayNameMapping } = provider
      const values = [issuer, clientId, scopes, usernameMapping, displayNameMapping, clientSecret]
      return sealed.hash(values)
    },
  }
}

const KEY_BYTES = 32

/** How long a provider that could not be asked is not asked again, in milliseconds. */
const FAILURE_PAUSE_MS = 5_000

const REDIRECT_URI = 'an absolute URL of https or http, without query and fragment'

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const OPTIONS: KnownOptions = {
  required: {
    iam: [isObject, 'must be an Iam'],
    caller: [
      (value) => isObject(value) || typeof value === 'function',
      'must be a Caller or a function',
    ],
    redirectUri: [
      (value) => typeof value === 'function' || isRedirectUri(value),
      `must be ${REDIRECT_URI}, or a function that returns one for each provider`,
    ],
    key: [(value) => value instanceof Uint8Array, 'must be a Uint8Array'],
    ...NETWORK_OPTIONS.required,
  },
  optional: {
    ...NETWORK_OPTIONS.optional,
    userIdOf: FUNCTION,
    groups: [
      (value) => isGroupsOption(value),
      'must be { claim }, with a claim of 1 to 200 characters',
    ],
  },
}

const isRedirectUri = (text: unknown): boolean =>
  typeof text === 'string' &&
  URL.canParse(text) &&
  /^https?:$/.test(new URL(text).protocol) &&
  !/[?#]/.test(text)

const isGroupsOption = (value: unknown): boolean => {
  const { claim, ...others } = Object(value)
  const isName = typeof claim === 'string' && claim !== '' && claim.length <= 200
  return isName && Object.keys(others).length === 0
}

const checkSignInOptions = (options: SignInOptions): void => {
  checkOptions('openIdSignIn', options, OPTIONS)
  if (options.groups && !options.userIdOf) throw new TypeError('groups needs the option userIdOf')
  if (options.key.length !== KEY_BYTES) throw new RangeError('key must be 32 bytes')
}
