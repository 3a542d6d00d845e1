import { ResultAsync } from 'neverthrow'
import {
  buildAuthorizationUrl,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from 'openid-client'
import { authorizationScopes, type IamError } from '../index.js'
import { requireAdmitted } from './admission.js'
import { type Attempt, attemptCookie } from './attempt.js'
import { authenticated, removed } from './callback.js'
import { type CheckedProvider, checkProvider } from './check-provider.js'
import { describedUser } from './described-user.js'
import { confirmDraft, requireUsable } from './draft.js'
import { type BeginInput, checkBegin, type FinishInput, type TestInput } from './input.js'
import { type Setup, type SignInFault, type SignInOptions, setUp } from './options.js'
import { preview, type SignInPreview } from './preview.js'
import { clientOf, discover, isMixable, storedProvider } from './provider.js'
import type { ProviderIds } from './redirect-uri.js'
import {
  fromHost,
  invalid,
  orRefuse,
  Refused,
  type SignInRefusal,
  withRefusals,
} from './refusal.js'
import type { SignedIn } from './signed-in.js'

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
   * Finishes a sign-in that was begun with `preview`, and shows what it would do: the claims that came, the groups that
   * were found, the rules that keep the user out, and the role mappings that match. Nobody is signed in, nothing is
   * recorded, and no function of yours is asked for a user. For admins: a provider need not be active.
   */
  readonly preview: (input: FinishInput) => ResultAsync<SignInPreview, SignInRefusal | IamError>
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
  /** `set-cookie` that keeps the attempt for `signInHandler`. */
  readonly cookie: string
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
    preview: (input) => ResultAsync.fromPromise(preview(setup, input), refusalIn(setup, 'preview')),
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
  if (!input.preview) await requireUsable(setup, stored)
  const metadata = await discover(stored, setup)
  if (isMixable(setup, metadata)) throw new Refused({ kind: 'SharedRedirectUri' })
  const [state, nonce, verifier] = [randomState(), randomNonce(), randomPKCECodeVerifier()]
  const redirectUri = await fromHost(() => setup.redirectUriOf({ orgId, idpId }))
  const { prompt, returnTo, projectId, projectOrgId, loginHint = input.email } = input
  const parameters = {
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
    buildAuthorizationUrl(clientOf(stored, metadata, setup), parameters),
  )
  const configuration = await setup.hashOf(stored)
  const begun = { orgId, idpId, redirectUri, configuration, state, nonce, verifier }
  const isPreview = input.preview === true || undefined
  const attempt = await setup.seal({ ...begun, returnTo, projectId, projectOrgId, isPreview })
  return { url: url.href, attempt, cookie: attemptCookie(attempt) }
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
  const from = await authenticated(setup, input, { isPreview: false })
  const { provider } = from.stored
  requireAdmitted(from.claims, provider.signIn)
  const user = await describedUser(setup, from)
  if (provider.state !== 'active') {
    await confirmDraft(setup, from.stored, 'sign_in')
    throw new Refused({ kind: 'DraftSignedIn' })
  }
  return withUser(setup, from.attempt, user)
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
  const question = { userId, projectId, ...(projectOrgId !== undefined && { projectOrgId }) }
  const access = await orRefuse(options.iam.access.check(question, await contextOf(orgId)))
  return { ...user, userId, access }
}
