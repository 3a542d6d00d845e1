import { BOOLEAN, checkOptions, FUNCTION, type KnownOptions } from '../check-options.js'
import type { Caller, IamError, Result, ResultAsync } from '../index.js'
import { type Failure, HANDLER_OPTIONS, ORGANIZATION_HEADER, toConsole } from './handler-options.js'
import { type OpenApiOptions, readOpenApiOptions } from './openapi-options.js'

/** Options of the transport. */
export interface TransportOptions {
  /**
   * Returns the caller, from the headers of the request; `undefined` without a caller. Called before the body is read.
   * To refuse the call, return an error of the library, such as `{ kind: 'Unauthenticated' }`. Anything it throws
   * becomes a 500, and so does a malformed caller. `signal` aborts when the client has disconnected or the deadline has
   * passed; the call then ends automatically.
   */
  readonly authenticate: (
    headers: Headers,
    signal: AbortSignal,
  ) => Authentication | Promise<Authentication>

  /**
   * Called with the cause of every response with code 13 or 14, which clients never see, and when `nodeHandler` cannot
   * send a response, for example because a middleware has sent one already. If it is absent or throws, the cause is
   * written to the console. Not called for a gRPC message that is not protobuf, although it gets code 13.
   */
  readonly onError?: ((cause: unknown, failure: Failure) => void) | undefined

  /**
   * Header that selects the organization of a call; identity provider operations accept only the caller's own. Default:
   * `x-service-orgid`.
   */
  readonly organizationHeader?: string | undefined

  /** `WWW-Authenticate` of responses with status 401. Default: `Bearer`. */
  readonly challenge?: string | undefined

  /**
   * Tests a provider for `TestIdentityProvider`: `test` of `openIdSignIn` in `claviger/oidc`. Called for an existing
   * provider when the caller has `identity_provider.write`; any error becomes a 500. Without this option the call is
   * refused as `NotConfigured`.
   */
  readonly testIdentityProvider?: IdentityProviderTest | undefined

  /**
   * Authentication and servers in the document at `/openapi.json`. Absent: it says nothing about authentication.
   * `false`: no document is served.
   */
  readonly openApi?: OpenApiOptions | false | undefined

  /** `false` serves neither `/v1/health` nor `grpc.health.v1.Health`. */
  readonly health?: boolean | undefined

  /**
   * Prefix of the paths that `nodeHandler` and `fetchHandler` get, such as `/iam` for `/iam/v1/projects`. Default:
   * none. Leave it out if the server strips the prefix first.
   */
  readonly basePath?: string | undefined
}

/** The caller, or an error that refuses the call. */
export type Authentication = Caller | IamError | undefined

/** Tests an identity provider. */
export type IdentityProviderTest = (provider: {
  /** Organization of the provider. */
  readonly orgId: string
  /** Id of the provider. */
  readonly idpId: string
}) =>
  | ResultAsync<TestedIdentityProvider, unknown>
  | Promise<Result<TestedIdentityProvider, unknown>>

/** The result of testing a provider. */
export interface TestedIdentityProvider {
  /** In the order in which they ran. */
  readonly checks: readonly {
    /** Name of the check, such as `discovery`. */
    readonly name: string
    /** `failed`: nobody can sign in. `warning`: a sign-in may fail. */
    readonly verdict: 'ok' | 'warning' | 'failed'
    /** In English, for an administrator. */
    readonly message: string
  }[]
}

/** {@link TransportOptions} with every default in place. */
export type ResolvedOptions = ReturnType<typeof resolveOptions>

const OPTIONS: KnownOptions = {
  required: { authenticate: FUNCTION },
  optional: {
    ...HANDLER_OPTIONS,
    testIdentityProvider: FUNCTION,
    health: BOOLEAN,
    // Its own schema checks it.
    openApi: [() => true, ''],
  },
}

/** @throws TypeError for an option of the function `called` that is missing, unknown or malformed */
export const resolveOptions = (options: TransportOptions, called: string) => {
  checkOptions(called, options, OPTIONS)
  const { authenticate, testIdentityProvider, openApi } = options
  return {
    authenticate,
    onError: options.onError ?? toConsole,
    testIdentityProvider,
    organizationHeader: options.organizationHeader ?? ORGANIZATION_HEADER,
    challenge: options.challenge ?? 'Bearer',
    openApi: openApi !== false && readOpenApiOptions(openApi),
    health: options.health ?? true,
    basePath: options.basePath ?? '',
  }
}
