import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { authorizationScopes } from '../index.js'
import { type BeginInput, checkBegin, invalid } from './input.js'
import type { Setup } from './options.js'
import { clientOf, discover } from './provider/client.js'
import { storedProvider } from './provider/stored-provider.js'
import { orRefuse, Refused } from './refusal.js'
import { asking } from './refusal-of.js'

/** A sign-in under way. */
export interface Begun {
  /** Where the host sends the browser. */
  readonly url: string
  /** For a cookie that is HttpOnly; good for ten minutes. About 600 characters, and more by long ids, `redirectUri` and `returnTo`. */
  readonly attempt: string
}

/** @throws Refused */
export const begin = async (setup: Setup, input: BeginInput): Promise<Begun> => {
  checkBegin(input)
  const { options } = setup
  if (input.projectId !== undefined && options.userIdOf === undefined)
    throw invalid([{ field: 'projectId', description: 'needs the option userIdOf' }])
  const { orgId, idpId } = await routeOf(setup, input)
  const stored = await storedProvider(options.iam, await setup.contextOf(orgId), idpId)
  if (stored.provider.state !== 'active') throw new Refused({ kind: 'ProviderInactive' })
  const metadata = await discover(stored, options, setup.discovered)
  const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
  const { redirectUri } = options
  const { prompt, returnTo, projectId, projectOrgId, loginHint = input.email } = input
  const asked = {
    redirect_uri: redirectUri,
    scope: authorizationScopes(stored.provider).join(' '),
    state,
    nonce,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(loginHint !== undefined && { login_hint: loginHint }),
    ...(prompt !== undefined && { prompt }),
  }
  const url = await asking(() => buildAuthorizationUrl(clientOf(stored, metadata, options), asked))
  const configuration = await setup.hashOf(stored)
  const what = { orgId, idpId, redirectUri, configuration, state, nonce, verifier }
  const attempt = await setup.seal({ ...what, returnTo, projectId, projectOrgId })
  return { url: url.href, attempt }
}

const routeOf = async (
  { options }: Setup,
  input: BeginInput,
): Promise<{ readonly orgId: string; readonly idpId: string }> => {
  if (input.email === undefined) return input
  const route = await orRefuse(options.iam.domains.route({ email: input.email }))
  if (route === undefined) throw new Refused({ kind: 'NoProviderForEmail' })
  return route
}
