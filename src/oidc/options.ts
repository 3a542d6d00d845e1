import { checkOptions, FUNCTION, type KnownOptions } from '../check-options.js'
import {
  type Caller,
  ConfigureSignIn,
  type Iam,
  type IamError,
  type IdentityProvider,
} from '../index.js'
import { NETWORK_OPTIONS, type NetworkOptions, networkOf } from '../network/request.js'
import { type Sealing, sealing } from './attempt.js'
import { documentCache } from './document-cache.js'
import type { GroupsOption } from './groups.js'
import type { ProviderAccess, StoredProvider } from './provider.js'
import {
  isRedirectUri,
  type ProviderIds,
  REDIRECT_URI,
  type RedirectUri,
  redirectUriIn,
} from './redirect-uri.js'
import { fromHost, type SignInRefusal } from './refusal.js'
import type { SignedIn } from './signed-in.js'

/** A refused sign-in, or a failed check of a provider. */
export interface SignInFault {
  /** What was refused. A user info that cannot be read ends no sign-in. */
  readonly during: 'begin' | 'finish' | 'test' | 'preview' | 'user_info'
  /** The refusal that was returned, that `test` turned into a failed check, or that the user info met. */
  readonly refusal: SignInRefusal | IamError
  /** What the provider, the network or a function of yours reported; without secret, token, code and claim. */
  readonly cause: unknown
}

/** Options of every sign-in, of `openIdSignIn` and of `claviger/better-auth`. */
export interface SharedSignInOptions extends NetworkOptions {
  /** The library, which stores the providers. */
  readonly iam: Pick<Iam, 'identityProviders' | 'access' | 'domains' | 'memberships'> &
    Partial<Pick<Iam, 'setupLinks' | 'roleMappings'>>
  /**
   * The caller of all reads and writes, in the provider's organization. It needs the permissions
   * `identity_provider.read` and `identity_provider.secret.read`; `user.grant.read` if `begin` gets a project;
   * `membership.write` with groups; and `role_mapping.read` for `preview`.
   */
  readonly caller: Caller | ((orgId: string) => Caller)
  /** Encrypts attempts: 32 random bytes, the same in all processes. They are copied. */
  readonly key: Uint8Array
  /**
   * Where the groups of users are, of providers whose settings do not say (`identityProviders.configureSignIn`). The
   * groups of each user that `userIdOf` finds are reported with `iam.memberships.report`, so that role mappings give
   * roles. `TypeError` without `userIdOf`.
   */
  readonly groups?: GroupsOption | ((provider: ProviderIds) => GroupsOption | undefined) | undefined
  /** Called with each refusal that has a cause, for your log. Exceptions are ignored. */
  readonly onFault?: ((fault: SignInFault) => void) | undefined
}

/** Options of `openIdSignIn`. */
export interface SignInOptions extends SharedSignInOptions {
  /**
   * `https://app.example/sign-in/callback`, to which the library appends `/<orgId>/<idpId>`: the URL that a provider
   * sends browsers back to. Either this or `redirectUri` is required.
   */
  readonly callbackBase?: string | undefined
  /**
   * Instead of `callbackBase`: absolute, `https` or `http`, without query and fragment. A function returns a URL with a
   * separate path for each provider, made from both ids, and `finish` compares that path. It is tried once with made-up
   * ids, and refused if two of them get the same path. With one URL for all, providers that do not support RFC 9207
   * (`iss` in responses) are refused.
   */
  readonly redirectUri?: string | ((provider: ProviderIds) => string) | undefined
  /** Returns your id of the user; undefined for an unknown user. */
  readonly userIdOf?:
    | ((user: SignedIn) => string | undefined | Promise<string | undefined>)
    | undefined
}

/** Checked options, with the caches and functions that all calls share. */
export interface Setup extends Sealing, ProviderAccess {
  readonly options: SignInOptions
  readonly contextOf: (
    orgId: string,
  ) => Promise<{ readonly caller: Caller; readonly orgId: string }>
  /** One URL for all providers, or one for each. */
  readonly redirectUri: RedirectUri
  /** Returns the redirect URI of a provider. @throws TypeError */
  readonly redirectUriOf: (provider: ProviderIds) => string
  /**
   * Keyed hash of everything that a sign-in depends on; without the provider's name and the encrypted form of its
   * secret.
   */
  readonly hashOf: (stored: StoredProvider) => Promise<string>
  /** Where the groups of a provider's users are; undefined if nobody says. @throws TypeError */
  readonly groupsOf: (provider: IdentityProvider) => GroupsOption | undefined
  /** Tells `onFault` of a refusal with a cause. */
  readonly notify: (during: SignInFault['during'], refusal: SignInRefusal | IamError) => void
}

/** @throws TypeError, RangeError @see Setup */
export const setUp = (options: SignInOptions): Setup => {
  checkSignInOptions(options)
  const sealed = sealing(options.key)
  const { caller, onFault } = options
  const redirectUri = redirectUriIn(options)
  return {
    ...sealed,
    options,
    network: networkOf(options),
    discoveries: documentCache(FAILURE_PAUSE_MS),
    keySets: documentCache(FAILURE_PAUSE_MS),
    contextOf: async (orgId) => ({
      caller: await fromHost(() => (typeof caller === 'function' ? caller(orgId) : caller)),
      orgId,
    }),
    redirectUri,
    redirectUriOf: ({ orgId, idpId }) => {
      if (typeof redirectUri === 'string') return redirectUri
      const uri = redirectUri({ orgId, idpId })
      if (!isRedirectUri(uri)) throw new TypeError(`redirectUri must return ${REDIRECT_URI}`)
      return uri
    },
    hashOf: ({ provider, clientSecret }) => {
      const { issuer, clientId, scopes, usernameMapping, displayNameMapping, signIn } = provider
      const mappings = [usernameMapping, displayNameMapping]
      return sealed.hash([issuer, clientId, scopes, ...mappings, clientSecret, signIn ?? null])
    },
    groupsOf: ({ idpId, details, signIn }) => {
      if (signIn?.groups) return signIn.groups
      const { groups } = options
      if (typeof groups !== 'function') return groups
      const named = groups({ orgId: details.resourceOwner, idpId })
      if (named !== undefined && !isGroupsOption(named))
        throw new TypeError(`groups must return ${GROUPS}`)
      return named
    },
    notify: (during, refusal) => {
      const cause: unknown = 'cause' in refusal ? refusal.cause : undefined
      if (cause === undefined) return
      const call = async () => onFault?.({ during, refusal, cause })
      call().catch(() => undefined)
    },
  }
}

const KEY_BYTES = 32

/** How long to wait after a failed request before the provider is asked again, in milliseconds. */
const FAILURE_PAUSE_MS = 5_000

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null

const GROUPS = '{ claim, path?, item?, separator? }, with texts of 1 to 200 characters'

const OPTIONS: KnownOptions = {
  required: {
    iam: [isObject, 'must be an Iam'],
    caller: [
      (value) => isObject(value) || typeof value === 'function',
      'must be a Caller or a function',
    ],
    key: [(value) => value instanceof Uint8Array, 'must be a Uint8Array'],
  },
  optional: {
    ...NETWORK_OPTIONS,
    callbackBase: [isRedirectUri, `must be ${REDIRECT_URI}`],
    redirectUri: [
      (value) => typeof value === 'function' || isRedirectUri(value),
      `must be ${REDIRECT_URI}, or a function that returns one for each provider`,
    ],
    userIdOf: FUNCTION,
    onFault: FUNCTION,
    groups: [
      (value) => typeof value === 'function' || isGroupsOption(value),
      `must be ${GROUPS}, or a function that returns it`,
    ],
  },
}

const isGroupsOption = (value: unknown): boolean =>
  ConfigureSignIn.shape.data.shape.groups.safeParse(value).success

const checkSignInOptions = (options: SignInOptions): void => {
  checkOptions('openIdSignIn', options, OPTIONS)
  if (options.groups && !options.userIdOf) throw new TypeError('groups needs the option userIdOf')
  if (options.key.length !== KEY_BYTES) throw new RangeError('key must be 32 bytes')
}
