import { BOOLEAN, checkOptions, FUNCTION, type KnownOptions } from '../check-options.js'
import type { Caller, IamError, Result, ResultAsync } from '../index.js'
import { type Failure, HANDLER_OPTIONS, toConsole } from './handler-options.js'
import { type OpenApiOptions, readOpenApiOptions } from './openapi-options.js'

/** What a host supplies to the transport. */
export interface TransportOptions {
  /**
   * Finds out who calls, from the headers of the request and before its body is read; `undefined` when there is no
   * caller. An error of the library, such as `{ kind: 'Unauthenticated' }`, refuses the call with its status. Anything
   * it throws is an unexpected error (500), and so is a malformed caller. `signal` aborts when the client has left or
   * the deadline has passed, and the call then ends by itself.
   */
  readonly authenticate: (
    headers: Headers,
    signal: AbortSignal,
  ) => Authentication | Promise<Authentication>

  /**
   * Called with the cause of every response with code 13 or 14, which no client sees, and when `nodeHandler` cannot
   * send a response, for example because a middleware has already sent one. The cause is written to the console when
   * this is absent or throws. Not called for a gRPC message that is not protobuf, which has code 13 too.
   */
  readonly onError?: ((cause: unknown, failure: Failure) => void) | undefined

  /**
   * Header that selects the organization of project and role operations; `x-service-orgid` when
   * absent.
   */
  readonly organizationHeader?: string | undefined

  /** `WWW-Authenticate` of responses with status 401; `Bearer` when absent. */
  readonly challenge?: string | undefined

  /**
   * Tests a provider for `TestIdentityProvider`: `test` of `openIdSignIn` in `claviger/oidc`. Called for an existing
   * provider when the caller has `identity_provider.write`; any error is an unexpected one. When absent, the call is
   * refused as `NotConfigured`.
   */
  readonly testIdentityProvider?: IdentityProviderTest | undefined

  /**
   * What the document at `/openapi.json` says about authentication and servers; nothing about authentication when
   * absent. `false` serves no document.
   */
  readonly openApi?: OpenApiOptions | false | undefined

  /** `false` serves neither `/v1/health` nor `grpc.health.v1.Health`. */
  readonly health?: boolean | undefined

  /** `false` serves no gRPC reflection. */
  readonly reflection?: boolean | undefined

  /**
   * Prefix of the paths that `nodeHandler` and `fetchHandler` are called with, such as `/iam` for `/iam/v1/projects`;
   * none when absent or empty. Not for a server that takes the prefix off before.
   */
  readonly basePath?: string | undefined
}

/** The caller, or the reason that there is none. */
export type Authentication = Caller | IamError | undefined

/** Asks a provider of an organization what it offers. */
export type IdentityProviderTest = (provider: {
  /** Organization of the provider. */
  readonly orgId: string
  /** Id of the provider. */
  readonly idpId: string
}) =>
  | ResultAsync<TestedIdentityProvider, unknown>
  | Promise<Result<TestedIdentityProvider, unknown>>

/** What a test of a provider found. */
export interface TestedIdentityProvider {
  /** In the order in which they were made. */
  readonly checks: readonly {
    /** What was looked at, such as `discovery`. */
    readonly name: string
    /** After `failed` nobody can sign in; after `warning` a sign-in may fail. */
    readonly verdict: 'ok' | 'warning' | 'failed'
    /** In English, for an administrator. */
    readonly message: string
  }[]
}

/** {@link TransportOptions} with every default in place. */
export interface ResolvedOptions extends Required<TransportOptions> {
  readonly onError: (cause: unknown, failure: Failure) => void
  readonly organizationHeader: string
  readonly challenge: string
  readonly openApi: OpenApiOptions | false
  readonly health: boolean
  readonly reflection: boolean
  readonly basePath: string
}

const OPTIONS: KnownOptions = {
  required: { authenticate: FUNCTION },
  optional: {
    ...HANDLER_OPTIONS,
    testIdentityProvider: FUNCTION,
    health: BOOLEAN,
    reflection: BOOLEAN,
    // Checked by its own schema.
    openApi: [() => true, ''],
  },
}

/** @throws TypeError for an option of the function `called` that is missing, unknown or malformed */
export const resolveOptions = (given: TransportOptions, called: string): ResolvedOptions => {
  checkOptions(called, given, OPTIONS)
  const { authenticate, testIdentityProvider, openApi } = given
  return {
    authenticate,
    onError: given.onError ?? toConsole,
    testIdentityProvider,
    organizationHeader: given.organizationHeader ?? 'x-service-orgid',
    challenge: given.challenge ?? 'Bearer',
    openApi: openApi === false ? false : readOpenApiOptions(openApi),
    health: given.health ?? true,
    reflection: given.reflection ?? true,
    basePath: given.basePath ?? '',
  }
}
