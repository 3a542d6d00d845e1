import type { Caller, Iam } from '../index.js'
import {
  checkOptions,
  isCallable,
  NETWORK_CHECKS,
  type OptionChecks,
} from '../network/check-options.js'
import type { NetworkOptions } from '../network/guarded-fetch.js'
import { type Sealing, sealing } from './attempt.js'
import { type DiscoveryCache, discoveryCache } from './provider/discovery-cache.js'
import type { StoredProvider } from './provider/stored-provider.js'
import { fromHost } from './refusal.js'
import type { SignedIn } from './signed-in.js'

/** What a host gives to `openIdSignIn`. */
export interface SignInOptions extends NetworkOptions {
  /** Keeps the providers. */
  readonly iam: Pick<Iam, 'identityProviders' | 'access' | 'domains'>
  /**
   * Acts for the sign-in, in the organization of the provider. Needs `identity_provider.read` and
   * `identity_provider.secret.read`, and `user.grant.read` where `begin` is given a project.
   */
  readonly caller: Caller | ((orgId: string) => Caller)
  /** Where providers send browsers back: an absolute URL of `https` or `http`, without query and fragment. */
  readonly redirectUri: string
  /** Seals attempts: 32 random bytes, the same in all processes. They are copied. */
  readonly key: Uint8Array
  /** Finds the user of the host; undefined for one that the host does not know. */
  readonly userIdOf?:
    | ((user: SignedIn) => string | undefined | Promise<string | undefined>)
    | undefined
}

/** Checked options, and what is made of them once. */
export interface Setup extends Sealing {
  readonly options: SignInOptions
  /** What providers said of themselves. */
  readonly discovered: DiscoveryCache
  readonly contextOf: (
    orgId: string,
  ) => Promise<{ readonly caller: Caller; readonly orgId: string }>
  /** Keyed hash of what a sign-in rests on, which is neither the name of a provider nor how its secret is sealed. */
  readonly hashOf: (stored: StoredProvider) => Promise<string>
}

/** @throws TypeError, RangeError @see Setup */
export const setUp = (options: SignInOptions): Setup => {
  checkSignInOptions(options)
  const sealed = sealing(options.key)
  const { caller } = options
  return {
    ...sealed,
    options,
    discovered: discoveryCache(),
    contextOf: async (orgId) => ({
      caller: await fromHost(() => (typeof caller === 'function' ? caller(orgId) : caller)),
      orgId,
    }),
    hashOf: ({ provider, clientSecret }) => {
      const { issuer, clientId, scopes, usernameMapping, displayNameMapping } = provider
      const values = [issuer, clientId, scopes, usernameMapping, displayNameMapping, clientSecret]
      return sealed.hash(values)
    },
  }
}

const KEY_BYTES = 32

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const REQUIRED: OptionChecks = {
  iam: [isObject, 'must be an Iam'],
  caller: [(value) => isObject(value) || isCallable(value), 'must be a Caller or a function'],
  redirectUri: [
    (value) => typeof value === 'string' && isRedirectUri(value),
    'must be an absolute URL of https or http, without query and fragment',
  ],
  key: [(value) => value instanceof Uint8Array, 'must be a Uint8Array'],
}

const OPTIONAL: OptionChecks = {
  ...NETWORK_CHECKS,
  userIdOf: [isCallable, 'must be a function'],
}

const isRedirectUri = (text: string): boolean =>
  URL.canParse(text) && /^https?:$/.test(new URL(text).protocol) && !/[?#]/.test(text)

const checkSignInOptions = (options: SignInOptions): void => {
  checkOptions('openIdSignIn', options, { required: REQUIRED, optional: OPTIONAL })
  if (options.key.length !== KEY_BYTES) throw new RangeError('key must be 32 bytes')
}
