import type { ConsoleOptions } from '../console/index.js'
import { type AuthServer, callerOf } from './caller.js'
import { userDirectory } from './directory.js'
import { type ClavigerAuthPlugin, SIGN_IN_PATH } from './plugin.js'

/** Options of the console that better-auth and the plugin know. */
export type AuthConsoleOptions = {
  readonly [Name in
    | 'authenticate'
    | 'users'
    | 'testIdentityProvider'
    | 'redirectUri'
    | 'loginUrl'
    | 'signInUrl'
    | 'previewSignIn']-?: NonNullable<ConsoleOptions[Name]>
}

/**
 * The options of `consoleHandler` that better-auth and the plugin know: callers, users, the test of a provider, redirect
 * URIs, and the sign-in page.
 *
 * @throws TypeError without the option `baseURL` of better-auth
 * @example
 * consoleHandler(iam, { basePath: '/admin', ...consoleOptionsOf(auth, sso) })
 */
export const consoleOptionsOf = (
  auth: AuthServer & {
    /** The options of better-auth. */
    readonly options: {
      /** The fixed URL of the host, with or without the path of better-auth. */
      readonly baseURL?: unknown
      /** Where better-auth is mounted. Default: `/api/auth`. */
      readonly basePath?: string | undefined
    }
  },
  { signIn }: ClavigerAuthPlugin,
): AuthConsoleOptions => {
  const { baseURL, basePath = '/api/auth' } = auth.options
  const { pathname } = new URL(String(baseURL))
  const loginUrl = `${pathname === '/' ? basePath : pathname.replace(/\/$/, '')}${SIGN_IN_PATH}`
  return {
    authenticate: callerOf(auth),
    users: userDirectory(auth),
    testIdentityProvider: signIn.test,
    redirectUri: signIn.redirectUri,
    previewSignIn: signIn.begin,
    loginUrl: `${loginUrl}?returnTo={returnTo}`,
    signInUrl: (provider) => `${loginUrl}?${new URLSearchParams({ ...provider })}`,
  }
}
