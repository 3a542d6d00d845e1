import type { Caller, IamError, Result, ResultAsync } from '../index.js'
import type { OpenApiOptions } from './openapi/openapi-options.js'
import { readOpenApiOptions } from './openapi/read-openapi-options.js'

/** What a host supplies to the transport. */
export interface TransportOptions {
  /**
   * Who calls, from the headers of the request and before its body is read; `undefined` when there is
   * no caller. An error of the library, such as `{ kind: 'Unauthenticated' }`, refuses the call
   * with its status. What it throws, such an error too, is an unexpected error, and so is a malformed
   * caller. `signal` aborts when the client has left or the deadline has passed, and ends the call by itself.
   */
  readonly authenticate: (
    headers: Headers,
    signal: AbortSignal,
  ) => Authentication | Promise<Authentication>

  /**
   * Called with the cause of every answer 13 and 14, none of which leaves the process otherwise, and with what
   * kept `nodeHandler` from answering, such as a middleware that has answered before; the cause is written to the
   * console when this is absent, or throws. Not called for a message of gRPC that is no protobuf, which is 13 too.
   */
  readonly onError?: ((cause: unknown, failure: Failure) => void) | undefined

  /**
   * Header that selects the organization of project and role operations; `x-service-orgid` when
   * absent. Spec: Authentication.
   */
  readonly organizationHeader?: string | undefined

  /** `WWW-Authenticate` of the answers with status 401; `Bearer` when absent. */
  readonly challenge?: string | undefined

  /**
   * Tests a provider for `TestIdentityProvider`: `test` of `openIdSignIn` in `claviger/oidc`. Called for a provider
   * that is there, when its caller has `identity_provider.write`; any error is an unexpected one. When absent, the
   * call is refused as `NotConfigured`.
   */
  readonly testIdentityProvider?: IdentityProviderTest | undefined

  /** What the document at `/openapi.json` says of authentication and of servers; nothing of the first when absent. */
  readonly openApi?: OpenApiOptions | undefined

  /**
   * Prefix of the paths that `nodeHandler` and `fetchHandler` are called with, such as `/iam` for `/iam/v1/projects`;
   * none when absent or empty. Not for a server that takes the prefix off before.
   */
  readonly basePath?: string | undefined
}

/** The caller as the host made them out, or why there is none. */
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

/** The call that failed. */
export interface Failure {
  /** Stands in the answer too, if there is one: the trace id of the request's `traceparent`, else drawn. */
  readonly correlationId: string
  /**
   * Such as `claviger.v1.ProjectService/UpdateProject`; `PUT /v1/projects/billing` where the answer could not be
   * sent.
   */
  readonly method: string
}

/** {@link TransportOptions} with every default in place. */
export interface ResolvedOptions extends Required<TransportOptions> {
  readonly onError: (cause: unknown, failure: Failure) => void
  readonly organizationHeader: string
  readonly challenge: string
  readonly openApi: OpenApiOptions
  readonly basePath: string
}

/** `onError` of a host that has none. */
export const toConsole = (cause: unknown, { correlationId, method }: Failure): void =>
  // biome-ignore lint/suspicious/noConsole: nothing may fail unseen
  console.error(method, correlationId, cause)

/**
 * @throws TypeError when `authenticate` is missing, for it has no default that is safe, or an option is not what
 *   it is to be
 */
export const resolveOptions = (options: Partial<TransportOptions> = {}): ResolvedOptions => {
  const { authenticate, onError = toConsole, testIdentityProvider } = options
  const organizationHeader = options.organizationHeader ?? 'x-service-orgid'
  const challenge = options.challenge ?? 'Bearer'
  const basePath = options.basePath ?? ''
  if (typeof authenticate !== 'function') throw new TypeError('authenticate must be a function')
  if (typeof onError !== 'function') throw new TypeError('onError must be a function')
  if (testIdentityProvider !== undefined && typeof testIdentityProvider !== 'function')
    throw new TypeError('testIdentityProvider must be a function')
  if (!isText(organizationHeader, HEADER_NAME))
    throw new TypeError('organizationHeader must be the name of a header')
  if (!isText(challenge, HEADER_VALUE))
    throw new TypeError('challenge must be the value of a header')
  const openApi = readOpenApiOptions(options.openApi)
  if (!isText(basePath, BASE_PATH))
    throw new TypeError(
      'basePath must be a path as it is sent, such as /iam, without a slash at its end',
    )
  const texts = { organizationHeader, challenge, basePath }
  return { authenticate, onError, testIdentityProvider, openApi, ...texts }
}

// Checked here because runtimes differ in what they take for a header.
const HEADER_NAME = /^[\w!#$%&'*+.^`|~-]+$/
const HEADER_VALUE = /^[\t -~]*$/

/** No segment is `.` or `..`, which clients resolve, nor has what they may encode in two ways. */
const BASE_PATH = /^(\/(?!\.{1,2}(\/|$))[\w.~-]+)*$/

const isText = (value: unknown, form: RegExp): boolean =>
  typeof value === 'string' && form.test(value)
