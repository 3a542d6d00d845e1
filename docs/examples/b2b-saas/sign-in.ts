// The way to the identity provider of a customer and back, by the authorization code flow with PKCE.
import { authorizationScopes, type Iam, orThrow } from 'claviger'
import { type Request, type Response, Router } from 'express'
import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  discovery,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import type { Pool } from 'pg'
import type { Cookies } from './cookies.ts'
import { SESSION } from './session.ts'
import { userOf } from './users.ts'

const SIGN_IN = 'sign_in'

/** What acts here: it may read secrets, which no user may. */
export const signInService = (customerId: string) => ({
  caller: {
    userId: 'sign-in',
    orgId: customerId,
    permissions: ['identity_provider.read', 'identity_provider.secret.read'] as const,
  },
})

export interface SignInOptions {
  readonly iam: Iam
  readonly pool: Pool
  readonly cookies: Cookies
  /** Where browsers find this product. */
  readonly origin: string
  /** On a developer's machine alone. */
  readonly isDevelopment: boolean
}

/** Each provider has its own: so a code is taken to the provider alone that gave it. */
const callbackOf = (customerId: string, idpId: string) => `/sign-in/callback/${customerId}/${idpId}`

export const signInRoutes = ({ iam, pool, cookies, origin, isDevelopment }: SignInOptions) => {
  const clientOf = async (customerId: string, idpId: string) => {
    const context = signInService(customerId)
    const provider = await orThrow(iam.identityProviders.get({ idpId }, context))
    if (provider.state !== 'active') return undefined
    const { clientSecret, givenFor, details } = await orThrow(
      iam.identityProviders.revealClientSecret({ idpId }, context),
    )
    // A secret goes to no other issuer than it was given for, also when the provider changes between the two reads.
    if (givenFor !== undefined || details.sequence !== provider.details.sequence) return undefined
    const { issuer, clientId } = provider
    const config = await discovery(new URL(issuer), clientId, clientSecret, undefined, {
      execute: isDevelopment ? [allowInsecureRequests] : [],
    })
    return { provider, config }
  }

  const begin = async (request: Request, response: Response) => {
    const [customerId, idpId] = [
      String(request.params['customerId']),
      String(request.params['idpId']),
    ]
    const client = await clientOf(customerId, idpId)
    if (!client) return response.status(403).json({ message: 'The provider cannot be used' })
    const [state, verifier] = [randomState(), randomPKCECodeVerifier()]
    // No id and none of the two random values holds a space.
    const text = [customerId, idpId, state, verifier].join(' ')
    cookies.write(response, { name: SIGN_IN, text, seconds: 600 })
    const url = buildAuthorizationUrl(client.config, {
      redirect_uri: `${origin}${callbackOf(customerId, idpId)}`,
      scope: authorizationScopes(client.provider).join(' '),
      state,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    return response.redirect(url.href)
  }

  const finish = async (request: Request, response: Response) => {
    const begun = cookies.read(request.headers.cookie, SIGN_IN)
    const [customerId = '', idpId = '', state = '', verifier = ''] = begun?.split(' ') ?? []
    if (verifier === '') return response.status(400).json({ message: 'Begin to sign in again' })
    const url = new URL(request.originalUrl, origin)
    if (url.pathname !== callbackOf(customerId, idpId))
      return response.status(403).json({ message: 'Another provider answers' })
    const client = await clientOf(customerId, idpId)
    if (!client) return response.status(403).json({ message: 'The provider cannot be used' })
    const checks = { pkceCodeVerifier: verifier, expectedState: state, idTokenExpected: true }
    const tokens = await authorizationCodeGrant(client.config, url, checks)
    const claims = tokens.claims()
    const userId = claims && (await userOf(pool, client.provider, claims))
    if (userId === undefined) return response.status(403).json({ message: 'Nobody we know' })
    cookies.write(response, { name: SESSION, text: userId, seconds: 8 * 3_600 })
    return response.redirect('/')
  }

  const routes = Router()
  routes.get('/callback/:customerId/:idpId', finish)
  routes.get('/:customerId/:idpId', begin)
  return routes
}
