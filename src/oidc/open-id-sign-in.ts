import { ResultAsync } from 'neverthrow'
import {
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
  type ServerMetadata,
} from 'openid-client'
import { authorizationScopes, type IamError } from '../index.js'
import type { Attempt } from './attempt.js'
import { type CheckedProvider, checkProvider } from './check-provider.js'
import { confirmDraft, requireUsable } from './draft.js'
import { groupsIn } from './groups.js'
import {
  type BeginInput,
  checkBegin,
  checkFinish,
  type FinishInput,
  type TestInput,
} from './input.js'
import { type Setup, type SignInFault, type SignInOptions, setUp } from './options.js'
import {
  clientOf,
  discover,
  isMixable,
  keySetOf,
  namesIssuer,
  type StoredProvider,
  storedProvider,
} from './provider.js'
import { type ProviderIds, pathOf } from './redirect-uri.js'
import {
  fromHost,
  invalid,
  orRefuse,
  Refused,
  type SignInRefusal,
  withRefusals,
} from './refusal.js'
import { claimsOf, type Granted, type SignedIn, userOf } from './signed-in.js'

/** Signs users in with stored providers through OpenID Connect: authorization code flow with PKCE, state and nonce. */
export interface OpenIdSignIn {
  /** Begins a sign-in: fetches the provider's discovery document and returns the URL to send the browser to. */
  readonly begin: (input: BeginInput) => ResultAsync<Begun, SignInRefusal | IamError>
  /**
   * Finishes a sign-in: exchanges the code, validates the provider's responses and returns the user. A code works only
   * once. Delete the attempt's cookie afterwards. A sign-in with the draft of an open set-up link is checked in the same
   * way, but signs nobody in: it is refused as `DraftSignedIn`, and the link then knows that the provider works.
   */
  readonly finish: (input: FinishInput) => ResultAsync<SignedIn, SignInRefusal | IamError>
  /**
   * Tests an active or inactive provider before users sign in with it: fetches its discovery document and tries the
   * client secret. A problem of the provider is a failed check, not an error.
   */
  readonly test: (input: TestInput) => ResultAsync<CheckedProvider, SignInRefusal | IamError>
  /**
   * The redirect URI to register at a provider, for forms and the console.
   *
   * @throws TypeError when the function `redirectUri` returns none
   */
  readonly redirectUri: (provider: ProviderIds) => string
}

/** A sign-in that has begun. */
export interface Begun {
  /** URL to send the browser to. */
  readonly url: string
  /**
   * Put it into an HttpOnly cookie; it is valid for ten minutes. About 600 characters, more with long ids,
   * `redirectUri` or `returnTo`.
   */
  readonly attempt: string
}

/**
 * Creates the sign-in functions. Each call reads the provider and its secret from the store, so a change applies in all
 * processes at once. Discovery documents and key sets are cached for at most five minutes: 100 of each, 4 MiB in total.
 * An unknown key id fetches the key set again, at most once in ten seconds; `test` always fetches the discovery
 * document.
 *
 * @throws TypeError when an option is missing, unknown or of a wrong type
 * @throws RangeError when the key does not have 32 bytes
 */
export const openIdSignIn = (options: SignInOptions): OpenIdSignIn => {
  const setup = setUp(options)
  return {
    begin: (input) => ResultAsync.fromPromise(begin(setup, input), refusalIn(setup, 'begin')),
    finish: (input) => ResultAsync.fromPromise(finish(setup, input), refusalIn(setup, 'finish')),
    test: (input) => ResultAsync.fromPromise(checkProvider(setup, input), refusalIn(setup, 'test')),
    redirectUri: setup.redirectUriOf,
  }
}

/** The refusal that was thrown, after a call of `onFault`. A bug is thrown again. */
const refusalIn =
  ({ notify }: Setup, during: SignInFault['during']) =>
  (thrown: unknown): SignInRefusal | IamError => {
    if (!(thrown instanceof Refused)) throw thrown
    notify(during, thrown.refusal)
    return thrown.refusal
  }

/** @throws Refused */
const begin = async (setup: Setup, input: BeginInput): Promise<Begun> => {
  checkBegin(input)
  const { options } = setup
  if (input.projectId !== undefined && options.userIdOf === undefined)
    throw invalid([{ field: 'projectId', description: 'needs the option userIdOf' }])
  const { orgId, idpId } = await routeOf(setup, input)
  const stored = await storedProvider(options.iam, await setup.contextOf(orgId), idpId)
  await requireUsable(setup, stored)
  const metadata = await discover(stored, setup)
  if (isMixable(setup, metadata)) throw new Refused({ kind: 'SharedRedirectUri' })
  const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
  const redirectUri = await fromHost(() => setup.redirectUriOf({ orgId, idpId }))
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
  const url = await withRefusals(() =>
    buildAuthorizationUrl(clientOf(stored, metadata, setup), asked),
  )
  const configuration = await setup.hashOf(stored)
  const begun = { orgId, idpId, redirectUri, configuration, state, nonce, verifier }
  const attempt = await setup.seal({ ...begun, returnTo, projectId, projectOrgId })
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

/** @throws Refused */
const finish = async (setup: Setup, input: FinishInput): Promise<SignedIn> => {
  checkFinish(input)
  const href = input.url ?? input.request.url
  const attempt = await setup.open(input.attempt)
  const redirectUri = await fromHost(() => setup.redirectUriOf(attempt))
  checkAttempt(attempt, { ...input, redirectUri })
  if (typeof setup.redirectUri === 'function' && pathOf(href) !== pathOf(redirectUri))
    throw new Refused({ kind: 'AttemptMismatch', field: 'redirectUri' })
  const stored = await unchangedProvider(setup, attempt)
  const metadata = await discover(stored, setup)
  if (isMixable(setup, metadata)) throw new Refused({ kind: 'SharedRedirectUri' })
  const client = clientOf(stored, metadata, setup)
  const fail = (thrown: unknown): never => {
    if (isOfKeys(thrown)) setup.keySets.expire(keySetOf(metadata))
    throw thrown
  }
  const granted = await redeemCode(client, { attempt, href, stored }).catch(fail)
  const { claims, missing } = await claimsOf(client, granted, setup.network).catch(fail)
  if (missing) setup.notify('user_info', missing)
  if (stored.provider.state !== 'active') {
    await confirmDraft(setup, stored, 'sign_in')
    throw new Refused({ kind: 'DraftSignedIn' })
  }
  const user = userOf(stored.provider, { attempt, issuer: metadata.issuer, claims, granted })
  const emailIsOwn = await isOwnEmail(setup, user)
  const email = emailIsOwn && user.email !== undefined ? { email: inOneForm(user.email) } : {}
  const { groups } = setup.options
  const named = groups && { groups: groupsIn(claims, groups, missing === undefined) }
  return withUser(setup, attempt, { ...user, ...email, emailIsOwn, ...named })
}

/** Whether the provider has verified the address, and is the provider of its domain. @throws Refused */
const isOwnEmail = async (
  { options }: Setup,
  { orgId, idpId, email, emailVerified }: Omit<SignedIn, 'emailIsOwn'>,
): Promise<boolean> => {
  if (email === undefined || !emailVerified) return false
  const route = await options.iam.domains.route({ email })
  if (route.isOk()) return route.value?.orgId === orgId && route.value.idpId === idpId
  // A provider may send any text as an address.
  if (route.error.kind === 'InvalidArgument') return false
  throw new Refused(route.error)
}

/** An address whose domain is written as it was compared: a domain has many spellings, such as `bücher.example`. */
const inOneForm = (email: string): string => {
  const at = email.lastIndexOf('@') + 1
  return `${email.slice(0, at)}${new URL(`http://${email.slice(at)}`).hostname}`
}

/** Whether an outdated key set may have caused a refusal: not every provider gives a new key a new id. */
const isOfKeys = (thrown: unknown): boolean =>
  thrown instanceof Refused &&
  ['SignatureMismatch', 'InvalidResponse'].includes(thrown.refusal.kind)

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
  setup: Setup,
  { orgId, idpId, configuration }: Attempt,
): Promise<StoredProvider> => {
  const { options, contextOf, hashOf } = setup
  const stored = await storedProvider(options.iam, await contextOf(orgId), idpId).catch(removed)
  await requireUsable(setup, stored)
  if ((await hashOf(stored)) !== configuration) throw new Refused({ kind: 'ProviderChanged' })
  return stored
}

const removed = (thrown: unknown): never => {
  if (thrown instanceof Refused && thrown.refusal.kind === 'NotFound')
    throw new Refused({ kind: 'ProviderRemoved' })
  throw thrown
}

const redeemCode = async (
  client: Configuration,
  {
    attempt,
    href,
    stored: { clientSecret },
  }: { readonly attempt: Attempt; readonly href: string; readonly stored: StoredProvider },
): Promise<Granted> => {
  const { redirectUri, state, nonce, verifier } = attempt
  // Behind a proxy the host may see a different origin than browsers, so only the query is used.
  const url = new URL(redirectUri)
  url.search = new URL(href, redirectUri).search
  checkAnswer(url.searchParams, client.serverMetadata(), state)
  const expected = {
    expectedState: state,
    expectedNonce: nonce,
    pkceCodeVerifier: verifier,
    idTokenExpected: true,
  }
  const hidden = [clientSecret, verifier, nonce, ...url.searchParams.getAll('code')]
  return withRefusals(() => authorizationCodeGrant(client, url, expected), {
    asked: 'id_token',
    hidden,
  })
}

/** `openid-client` checks the same, but reports both only as an invalid response. @throws Refused */
const checkAnswer = (answer: URLSearchParams, metadata: ServerMetadata, state: string): void => {
  const issuers = answer.getAll('iss')
  const isOfIssuer = issuers.length === 1 && issuers[0] === metadata.issuer
  if (!isOfIssuer && (namesIssuer(metadata) || issuers.length > 0))
    throw new Refused({ kind: 'IssuerMismatch' })
  const states = answer.getAll('state')
  if (states.length !== 1 || states[0] !== state) throw new Refused({ kind: 'StateMismatch' })
}

const withUser = async (
  { options, contextOf }: Setup,
  { orgId, idpId, projectId, projectOrgId }: Attempt,
  user: SignedIn,
): Promise<SignedIn> => {
  const userId = await fromHost(() => options.userIdOf?.(user))
  if (userId === undefined) return user
  const { groups } = user
  if (groups !== undefined && groups !== 'unavailable') {
    const report = { idpId, userId, groups }
    await orRefuse(options.iam.memberships.report(report, await contextOf(orgId))).catch(removed)
  }
  if (projectId === undefined) return { ...user, userId }
  const asked = { userId, projectId, ...(projectOrgId !== undefined && { projectOrgId }) }
  const access = await orRefuse(options.iam.access.check(asked, await contextOf(orgId)))
  return { ...user, userId, access }
}
