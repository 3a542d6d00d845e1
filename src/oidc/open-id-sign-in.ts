import { err, ok, type Result, ResultAsync } from 'neverthrow'
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import {
  authorizationScopes,
  type Caller,
  type Iam,
  type IamError,
  isIamError,
  mapExternalUser,
  mayAutoRegister,
} from '../index.js'
import { sealing } from './attempt.js'
import type { NetworkOptions } from './fetching/guarded-fetch.js'
import { clientOf, discover } from './provider/client.js'
import { type StoredProvider, storedProvider } from './provider/stored-provider.js'
import { Refused, type SignInRefusal } from './refusal.js'
import { refusalOf } from './refusal-of.js'
import { type SignedIn, SignInTokens } from './signed-in.js'

export interface SignInOptions extends NetworkOptions {
  readonly iam: Pick<Iam, 'identityProviders' | 'access'>
  /** Acts for the sign-in; needs `identity_provider.read`, `identity_provider.secret.read`, `user.grant.read`. */
  readonly caller: Caller | ((orgId: string) => Caller)
  /** Where providers send browsers back; without a query. */
  readonly redirectUri: string
  /** 32 random bytes, the same in all processes. */
  readonly key: Uint8Array
  /** The user of the host; undefined for one whom it does not know. */
  readonly userIdOf?: (user: SignedIn) => string | undefined | Promise<string | undefined>
}

export interface BeginInput {
  readonly orgId: string
  readonly idpId: string
  readonly loginHint?: string | undefined
  readonly prompt?: string | undefined
  readonly returnTo?: string | undefined
  readonly projectId?: string | undefined
  readonly projectOrgId?: string | undefined
}

export interface Begun {
  readonly url: string
  readonly attempt: string
}

export interface FinishInput {
  readonly url: string
  readonly attempt: string | undefined
  readonly orgId?: string | undefined
  readonly idpId?: string | undefined
}

export interface OpenIdSignIn {
  readonly begin: (input: BeginInput) => ResultAsync<Begun, SignInRefusal | IamError>
  readonly finish: (input: FinishInput) => ResultAsync<SignedIn, SignInRefusal | IamError>
}

type Answer<Value> = Promise<Result<Value, SignInRefusal | IamError>>

export const openIdSignIn = (options: SignInOptions): OpenIdSignIn => {
  const { iam, caller, redirectUri, userIdOf } = options
  const { seal, open, hash } = sealing(options.key)
  const contextOf = (orgId: string) => ({
    caller: typeof caller === 'function' ? caller(orgId) : caller,
    orgId,
  })
  const hashOf = ({ provider, clientSecret }: StoredProvider) => {
    const { issuer, clientId, scopes, usernameMapping, displayNameMapping } = provider
    return hash([issuer, clientId, scopes, usernameMapping, displayNameMapping, clientSecret])
  }

  const begin = async (input: BeginInput): Answer<Begun> => {
    const { orgId, idpId, loginHint, prompt, returnTo, projectId, projectOrgId } = input
    const stored = await storedProvider(iam, contextOf(orgId), idpId)
    if (stored.isErr()) return err(stored.error)
    if (stored.value.provider.state !== 'active') return err({ kind: 'ProviderInactive' })
    const metadata = await discover(stored.value, options)
    const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
    const url = buildAuthorizationUrl(clientOf(stored.value, metadata, options), {
      redirect_uri: redirectUri,
      scope: authorizationScopes(stored.value.provider).join(' '),
      state,
      nonce,
      code_challenge: await calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      ...(loginHint !== undefined && { login_hint: loginHint }),
      ...(prompt !== undefined && { prompt }),
    })
    const configuration = await hashOf(stored.value)
    const what = { orgId, idpId, redirectUri, configuration, state, nonce, verifier }
    const attempt = await seal({ ...what, returnTo, projectId, projectOrgId })
    return ok({ url: url.href, attempt })
  }

  const finish = async (input: FinishInput): Answer<SignedIn> => {
    const attempt = await open(input.attempt)
    const { orgId, idpId, returnTo, projectId, projectOrgId } = attempt
    const expected = { redirectUri, orgId: input.orgId ?? orgId, idpId: input.idpId ?? idpId }
    for (const field of ['redirectUri', 'orgId', 'idpId'] as const)
      if (attempt[field] !== expected[field]) return err({ kind: 'AttemptMismatch', field })
    const stored = await storedProvider(iam, contextOf(orgId), idpId)
    if (stored.isErr())
      return err(stored.error.kind === 'NotFound' ? { kind: 'ProviderRemoved' } : stored.error)
    const { provider } = stored.value
    if (provider.state !== 'active') return err({ kind: 'ProviderInactive' })
    if ((await hashOf(stored.value)) !== attempt.configuration)
      return err({ kind: 'ProviderChanged' })
    const metadata = await discover(stored.value, options)
    const client = clientOf(stored.value, metadata, options)
    const url = new URL(redirectUri)
    url.search = new URL(input.url, redirectUri).search
    const granted = await authorizationCodeGrant(client, url, {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.verifier,
      idTokenExpected: true,
    })
    const idToken: Readonly<Record<string, unknown>> = { ...granted.claims() }
    const subject = String(idToken['sub'])
    const hasInfo = metadata.userinfo_endpoint !== undefined
    const info = hasInfo ? await fetchUserInfo(client, granted.access_token, subject) : {}
    const claims = joined(idToken, { ...info })
    const { email, email_verified: isVerified } = claims
    const { username, displayName } = mapExternalUser(provider, claims)
    const hasEmail = typeof email === 'string' && email !== ''
    const { access_token, id_token = '', refresh_token } = granted
    const user: SignedIn = {
      orgId,
      idpId,
      issuer: metadata.issuer,
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
    const userId = await userIdOf?.(user)
    if (userId === undefined) return ok(user)
    if (projectId === undefined) return ok({ ...user, userId })
    const asked = { userId, projectId, ...(projectOrgId !== undefined && { projectOrgId }) }
    return iam.access.check(asked, contextOf(orgId)).map((access) => ({ ...user, userId, access }))
  }

  const guarded = <Value>(work: () => Answer<Value>) =>
    new ResultAsync<Value, SignInRefusal | IamError>(
      work().catch((thrown) => {
        if (isIamError(thrown)) throw thrown
        return err(thrown instanceof Refused ? thrown.refusal : refusalOf(thrown))
      }),
    )
  return {
    begin: (input) => guarded(() => begin(input)),
    finish: (input) => guarded(() => finish(input)),
  }
}

/** The ID token is signed, so it wins. An address and whether it is verified are of one source. */
const joined = (
  idToken: Readonly<Record<string, unknown>>,
  info: Readonly<Record<string, unknown>>,
): Readonly<Record<string, unknown>> => {
  const { email_verified: _, ...rest } = idToken
  if (idToken['email'] !== undefined) {
    const { email_verified: __, ...others } = info
    return { ...others, ...idToken }
  }
  return { ...info, ...rest }
}
