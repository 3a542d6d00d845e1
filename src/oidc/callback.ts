import { authorizationCodeGrant, type Configuration, type ServerMetadata } from 'openid-client'
import type { Attempt } from './attempt.js'
import { requireUsable } from './draft.js'
import { checkFinish, type FinishInput } from './input.js'
import type { Setup } from './options.js'
import {
  clientOf,
  discover,
  isMixable,
  keySetOf,
  namesIssuer,
  type StoredProvider,
  storedProvider,
} from './provider.js'
import { pathOf } from './redirect-uri.js'
import { fromHost, plainText, Refused, withRefusals, wordsOf } from './refusal.js'
import { claimsOf, type FoundClaims, type Granted } from './signed-in.js'

/** What a provider says of a user who came back from it. */
export interface Authenticated extends FoundClaims {
  readonly attempt: Attempt
  readonly stored: StoredProvider
  readonly issuer: string
  readonly granted: Granted
}

/** Checks a callback, exchanges its code, and validates what the provider says. @throws Refused */
export const authenticated = async (
  setup: Setup,
  input: FinishInput,
  { isPreview }: { readonly isPreview: boolean },
): Promise<Authenticated> => {
  checkFinish(input)
  const href = input.url ?? input.request.url
  const attempt = await setup.open(input.attempt)
  if (attempt.isPreview && !isPreview)
    throw new Refused({ kind: 'AttemptMismatch', field: 'preview' })
  const redirectUri = await fromHost(() => setup.redirectUriOf(attempt))
  checkAttempt(attempt, { ...input, redirectUri })
  if (typeof setup.redirectUri === 'function' && pathOf(href) !== pathOf(redirectUri))
    throw new Refused({ kind: 'AttemptMismatch', field: 'redirectUri' })
  const stored = await unchangedProvider(setup, attempt)
  if (!isPreview) await requireUsable(setup, stored)
  const metadata = await discover(stored, setup)
  if (isMixable(setup, metadata)) throw new Refused({ kind: 'SharedRedirectUri' })
  const client = clientOf(stored, metadata, setup)
  const fail = (thrown: unknown): never => {
    if (isOfKeys(thrown)) setup.keySets.expire(keySetOf(metadata))
    throw thrown
  }
  const granted = await redeemCode(client, { attempt, href, stored }).catch(fail)
  const found = await claimsOf(client, granted, setup.network).catch(fail)
  if (found.missing) setup.notify('user_info', found.missing)
  return { attempt, stored, issuer: metadata.issuer, granted, ...found }
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
  if ((await hashOf(stored)) !== configuration) throw new Refused({ kind: 'ProviderChanged' })
  return stored
}

/** A provider that is gone. @throws Refused */
export const removed = (thrown: unknown): never => {
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
    expected: 'id_token',
    hidden,
  })
}

/** `openid-client` checks the same, but reports both only as an invalid response. @throws Refused */
const checkAnswer = (answer: URLSearchParams, metadata: ServerMetadata, state: string): void => {
  const issuers = answer.getAll('iss')
  const isOfIssuer = issuers.length === 1 && issuers[0] === metadata.issuer
  if (!isOfIssuer && (namesIssuer(metadata) || issuers.length > 0))
    throw new Refused({ kind: 'IssuerMismatch' }, errorIn(answer))
  const states = answer.getAll('state')
  if (states.length !== 1 || states[0] !== state)
    throw new Refused({ kind: 'StateMismatch' }, errorIn(answer))
}

/** Not every provider sends `iss` and `state` with an error. */
const errorIn = (answer: URLSearchParams): Error | undefined => {
  const { error, error_description: description } = Object.fromEntries(answer)
  return error === undefined ? undefined : new Error(plainText(wordsOf(error, description)))
}
