import {
  authorizationCodeGrant,
  type Configuration,
  fetchUserInfo,
  type TokenEndpointResponse,
  type TokenEndpointResponseHelpers,
} from 'openid-client'
import { type IdentityProvider, mapExternalUser, mayAutoRegister } from '../index.js'
import type { Attempt } from './attempt.js'
import { checkFinish, type FinishInput } from './input.js'
import type { Setup } from './options.js'
import { clientOf, discover } from './provider/client.js'
import { type StoredProvider, storedProvider } from './provider/stored-provider.js'
import { fromHost, orRefuse, Refused } from './refusal.js'
import { asking } from './refusal-of.js'
import { type SignedIn, SignInTokens } from './signed-in.js'

type Claims = Readonly<Record<string, unknown>>
type Granted = TokenEndpointResponse & TokenEndpointResponseHelpers

/** @throws Refused */
export const finish = async (setup: Setup, input: FinishInput): Promise<SignedIn> => {
  checkFinish(input)
  const { options } = setup
  const attempt = await setup.open(input.attempt)
  checkAttempt(attempt, { ...input, redirectUri: options.redirectUri })
  const stored = await unchangedProvider(setup, attempt)
  const metadata = await discover(stored, options, setup.discovered)
  const client = clientOf(stored, metadata, options)
  const granted = await granting(client, attempt, input.url ?? input.request.url)
  const claims = await claimsOf(client, granted)
  const user = userOf(stored.provider, { attempt, issuer: metadata.issuer, claims, granted })
  return withAccess(setup, attempt, user)
}

const checkAttempt = (
  attempt: Attempt,
  expected: {
    readonly redirectUri: string
    readonly orgId?: string | undefined
    readonly idpId?: string | undefined
  },
): void => {
  for (const field of ['redirectUri', 'orgId', 'idpId'] as const)
    if (expected[field] !== undefined && attempt[field] !== expected[field])
      throw new Refused({ kind: 'AttemptMismatch', field })
}

const unchangedProvider = async (
  { options, contextOf, hashOf }: Setup,
  { orgId, idpId, configuration }: Attempt,
): Promise<StoredProvider> => {
  const stored = await storedProvider(options.iam, await contextOf(orgId), idpId).catch(removed)
  if (stored.provider.state !== 'active') throw new Refused({ kind: 'ProviderInactive' })
  if ((await hashOf(stored)) !== configuration) throw new Refused({ kind: 'ProviderChanged' })
  return stored
}

const removed = (thrown: unknown): never => {
  if (thrown instanceof Refused && thrown.refusal.kind === 'NotFound')
    throw new Refused({ kind: 'ProviderRemoved' })
  throw thrown
}

const granting = (client: Configuration, attempt: Attempt, href: string): Promise<Granted> => {
  const { redirectUri, state, nonce, verifier } = attempt
  // Behind a proxy the host may see another origin than browsers do, so only the query is taken.
  const url = new URL(redirectUri)
  url.search = new URL(href, redirectUri).search
  return asking(() =>
    authorizationCodeGrant(client, url, {
      expectedState: state,
      expectedNonce: nonce,
      pkceCodeVerifier: verifier,
      idTokenExpected: true,
    }),
  )
}

const claimsOf = async (client: Configuration, granted: Granted): Promise<Claims> => {
  const { client_id: clientId } = client.clientMetadata()
  const idToken: Claims = { ...granted.claims() }
  const { azp = clientId } = idToken
  // `openid-client` looks at it only beside several audiences.
  if (azp !== clientId) throw new Refused({ kind: 'AudienceMismatch' })
  if (client.serverMetadata().userinfo_endpoint === undefined) return joined(idToken, {})
  const info = await asking(() =>
    fetchUserInfo(client, granted.access_token, String(idToken['sub'])),
  )
  return joined(idToken, { ...info })
}

/** The ID token is signed, so it wins. An address and whether it is verified are of one source. */
const joined = (idToken: Claims, info: Claims): Claims => {
  const isOfIdToken = idToken['email'] !== undefined
  const { email_verified: isVerified } = isOfIdToken ? idToken : info
  const { email_verified: _, ...claims }: Claims = { ...info, ...idToken }
  return isVerified === undefined ? claims : { ...claims, email_verified: isVerified }
}

const userOf = (
  provider: IdentityProvider,
  from: {
    readonly attempt: Attempt
    readonly issuer: string
    readonly claims: Claims
    readonly granted: Granted
  },
): SignedIn => {
  const { attempt, issuer, claims, granted } = from
  const { orgId, idpId, returnTo } = attempt
  const { access_token, id_token = '', refresh_token } = granted
  const { email, email_verified: isVerified } = claims
  const subject = String(claims['sub'])
  const hasEmail = typeof email === 'string' && email !== ''
  const { username, displayName } = mapExternalUser(provider, claims)
  return {
    orgId,
    idpId,
    issuer,
    subject,
    ...(username !== undefined && { username }),
    displayName: displayName ?? username ?? subject,
    ...(hasEmail && { email }),
    emailVerified: hasEmail && isVerified === true,
    mayAutoRegister: mayAutoRegister(provider),
    claims,
    ...(returnTo !== undefined && { returnTo }),
    tokens: new SignInTokens(access_token, id_token, refresh_token),
  }
}

const withAccess = async (
  { options, contextOf }: Setup,
  { orgId, projectId, projectOrgId }: Attempt,
  user: SignedIn,
): Promise<SignedIn> => {
  const userId = await fromHost(() => options.userIdOf?.(user))
  if (userId === undefined) return user
  if (projectId === undefined) return { ...user, userId }
  const asked = { userId, projectId, ...(projectOrgId !== undefined && { projectOrgId }) }
  const access = await orRefuse(options.iam.access.check(asked, await contextOf(orgId)))
  return { ...user, userId, access }
}
