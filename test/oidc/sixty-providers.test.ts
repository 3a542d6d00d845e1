import type { ServerResponse } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, expect, it } from 'vitest'
import { type Difference, info, oneProvider } from './one-provider.js'

const { signedIn, signed, issuer, close } = await oneProvider()
afterAll(close)

const now = () => Math.floor(Date.now() / 1000)
const other = await generateKeyPair('RS256')
const ok = { subject: 'ann' }
const json = (status: number, body: unknown, type = 'application/json') => ({
  headers: { 'content-type': type },
  status,
  body: typeof body === 'string' ? body : JSON.stringify(body),
})
const answer =
  ({ status, headers, body }: ReturnType<typeof json>) =>
  (response: ServerResponse) =>
    void response.writeHead(status, headers).end(body)
const token = (status: number, body: unknown, type?: string): Difference => ({
  attack: { token: answer(json(status, body, type)) },
})
const discovery = (fields: object): Difference => ({ attack: { discovery: { ...fields } } })
const claims = (fields: object): Difference => ({ attack: { claims: { ...fields } } })
const keys = (status: number, body: unknown, type?: string): Difference => ({
  attack: { answers: { '/jwks': answer(json(status, body, type)) } },
})

/** One difference each, and what it ends with: fields of the user, or the refusal. */
const DIFFERENCES: readonly (readonly [name: string, Difference, ends: object])[] = [
  ['nothing', {}, ok],
  // Discovery.
  ['an issuer with a slash', discovery({ issuer: `${issuer}/x` }), { kind: 'IssuerMismatch' }],
  ['no issuer', discovery({ issuer: undefined }), { kind: 'InvalidResponse' }],
  ['no jwks_uri', discovery({ jwks_uri: undefined }), { kind: 'InvalidResponse' }],
  ['no token endpoint', discovery({ token_endpoint: undefined }), { kind: 'InvalidResponse' }],
  ['no user info', discovery({ userinfo_endpoint: undefined }), ok],
  ['a null user info', discovery({ userinfo_endpoint: null }), ok],
  ['a user info over http', discovery({ userinfo_endpoint: 'http://idp.test/info' }), ok],
  ['a logout over http', discovery({ end_session_endpoint: 'http://idp.test' }), ok],
  ['a logout that is no URL', discovery({ end_session_endpoint: 7 }), ok],
  ['keys over http', discovery({ jwks_uri: 'http://idp.test/k' }), { kind: 'ProviderUnreachable' }],
  ['scopes that are a text', discovery({ scopes_supported: 'openid email' }), ok],
  ['no algorithms', discovery({ id_token_signing_alg_values_supported: undefined }), ok],
  ['methods that are null', discovery({ token_endpoint_auth_methods_supported: null }), ok],
  ['methods that are a text', discovery({ token_endpoint_auth_methods_supported: 'x' }), ok],
  ['PKCE unsaid', discovery({ code_challenge_methods_supported: undefined }), ok],
  ['PKCE plain alone', discovery({ code_challenge_methods_supported: ['plain'] }), ok],
  ['unknown fields', discovery({ constructor: 1, hasOwnProperty: 2 }), ok],
  [
    'no iss in answers',
    {
      ...discovery({ authorization_response_iss_parameter_supported: false }),
      back: { iss: undefined },
    },
    ok,
  ],
  // The callback.
  ['an iss that is missing', { back: { iss: undefined } }, { kind: 'IssuerMismatch' }],
  ['an iss of another', { back: { iss: 'https://other.test' } }, { kind: 'IssuerMismatch' }],
  ['a session state', { back: { session_state: 's' } }, ok],
  ['a state of another', { back: { state: 's' } }, { kind: 'StateMismatch' }],
  [
    'a refusal',
    { back: { code: undefined, error: 'access_denied' } },
    { kind: 'ProviderError', error: 'access_denied' },
  ],
  // Keys.
  ['keys that are gone', keys(404, {}), { kind: 'InvalidResponse' }],
  ['keys that are a page', keys(200, '<html>', 'text/html'), { kind: 'InvalidResponse' }],
  ['no keys', keys(200, { keys: [] }), { kind: 'SignatureMismatch' }],
  ['keys that are an object', keys(200, { keys: {} }), { kind: 'InvalidResponse' }],
  [
    'a key of another under its id',
    keys(200, { keys: [{ ...(await exportJWK(other.publicKey)), kid: 'k', alg: 'RS256' }] }),
    { kind: 'SignatureMismatch' },
  ],
  // The ID token.
  ['aud in a list', claims({ aud: ['c1'] }), ok],
  ['aud with others and azp', claims({ aud: ['c1', 'x'], azp: 'c1' }), ok],
  ['aud with others, without azp', claims({ aud: ['c1', 'x'] }), { kind: 'AudienceMismatch' }],
  ['aud of another', claims({ aud: 'x' }), { kind: 'AudienceMismatch' }],
  ['azp of another', claims({ azp: 'x' }), { kind: 'AudienceMismatch' }],
  ['azp that is null', claims({ azp: null }), ok],
  ['no nonce', claims({ nonce: undefined }), { kind: 'NonceMismatch' }],
  ['another nonce', claims({ nonce: 'x' }), { kind: 'NonceMismatch' }],
  ['another issuer', claims({ iss: 'https://other.test' }), { kind: 'IssuerMismatch' }],
  ['an end in the past', claims({ exp: now() - 60 }), { kind: 'TokenExpired' }],
  ['an end twenty seconds ago', claims({ exp: now() - 20 }), ok],
  ['a begin in the future', claims({ nbf: now() + 3600 }), { kind: 'TokenExpired' }],
  ['no sub', claims({ sub: undefined }), { kind: 'InvalidResponse' }],
  ['a sub that is a number', claims({ sub: 7 }), { kind: 'InvalidResponse' }],
  ['a name that is an object', claims({ name: {} }), { displayName: 'ann' }],
  ['an address in a list', claims({ email: ['a@b.test'] }), { emailVerified: false }],
  [
    'a verification as a text',
    claims({ email: 'a@b.test', email_verified: 'true' }),
    { emailVerified: true },
  ],
  [
    'another algorithm',
    {
      attack: {
        sign: (of) =>
          new SignJWT({ ...of }).setProtectedHeader({ alg: 'HS256' }).sign(new Uint8Array(32)),
      },
    },
    { kind: 'SignatureMismatch' },
  ],
  [
    'a signature of another',
    { attack: { sign: (of) => signed(of, other.privateKey) } },
    { kind: 'SignatureMismatch' },
  ],
  // The token response.
  ['a scope in a list', { tokens: { scope: ['openid'] } }, ok],
  ['a null scope', { tokens: { scope: null } }, ok],
  ['a null refresh token', { tokens: { refresh_token: null } }, ok],
  ['a lifetime in a text', { tokens: { expires_in: 'x' } }, ok],
  ['an upper-case token type', { tokens: { token_type: 'BEARER' } }, ok],
  ['no token type', { tokens: { token_type: undefined } }, { kind: 'InvalidResponse' }],
  ['no ID token', { tokens: { id_token: undefined } }, { kind: 'InvalidResponse' }],
  [
    'an error',
    token(400, { error: 'invalid_grant' }),
    { kind: 'ProviderError', error: 'invalid_grant' },
  ],
  ['an error without a code', token(500, { message: 'x' }), { kind: 'InvalidResponse' }],
  ['an error in a page', token(502, '<html>', 'text/html'), { kind: 'InvalidResponse' }],
  ['an error that is an object', token(400, { error: {} }), { kind: 'InvalidResponse' }],
  // The user info.
  [
    'a user info of another',
    { attack: { info: info({ sub: 'bo' }) } },
    { kind: 'SubjectMismatch' },
  ],
  ['a user info that is refused', { attack: { info: answer(json(401, {})) } }, ok],
  ['a user info that is a page', { attack: { info: answer(json(200, '<p>', 'text/html')) } }, ok],
  ['a user info that breaks off', { attack: { info: (response) => void response.destroy() } }, ok],
]

it('are at least sixty', () => {
  expect(DIFFERENCES.length).toBeGreaterThanOrEqual(60)
})

it.each(DIFFERENCES)('A provider that differs in one thing: %s', async (_, difference, ends) => {
  expect(await ended(difference)).toMatchObject(ends)
})

const ended = async (difference: Difference) =>
  (await signedIn(difference)).match<object>(
    (user) => user,
    (refusal) => refusal,
  )

it('A provider that takes its time: no longer than the host waits', async () => {
  for (const path of ['/.well-known/openid-configuration', '/token', '/jwks']) {
    const attack = { answers: { [path]: () => undefined } }
    const slow = await ended({ attack, options: { timeout: 50 } })
    expect(slow).toEqual({ kind: 'ProviderUnreachable', reason: 'timeout' })
  }
  const attack = { info: () => undefined }
  expect(await ended({ attack, options: { timeout: 50 } })).toMatchObject(ok)
})
