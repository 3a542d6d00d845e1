import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { gzipSync } from 'node:zlib'
import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { openIdSignIn, type SignInFault, type SignInOptions } from 'claviger/oidc'
import { exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest'
import { type Attack, hostileProvider } from './hostile-provider.js'

const redirectUri = 'https://host.test/callback'
const provider = await hostileProvider()
const { issuer, state } = provider
const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
  authorize: () => true,
})
const caller = { userId: 'sign-in', orgId: 'acme' }
const idp = { idpId: 'own', name: 'Own', clientId: 'c1', issuer, clientSecret: 'canary-secret' }
await iam.identityProviders.addOidc(idp, { caller })

const console_ = (['log', 'warn', 'error'] as const).map((name) =>
  vi.spyOn(console, name).mockImplementation(() => undefined),
)
afterEach(() => {
  state.attack = {}
})
afterAll(() => {
  provider.close()
  vi.restoreAllMocks()
})

const signInWith = (options: Partial<SignInOptions>) =>
  openIdSignIn({
    iam,
    caller,
    redirectUri,
    key: new Uint8Array(32),
    lookup: false,
    allowHttpLoopback: true,
    ...options,
  })

/** A sign-in whose provider attacks after it was begun; `change` alters what comes back with the browser. */
const attacked = async (
  attack: Attack,
  change: (back: URLSearchParams) => void = () => undefined,
  options: Partial<SignInOptions> = {},
) => {
  const signIn = signInWith(options)
  const begun = (await signIn.begin({ orgId: 'acme', idpId: 'own' }))._unsafeUnwrap()
  const asked = new URL(begun.url).searchParams
  state.nonce = asked.get('nonce') ?? ''
  state.attack = attack
  const back = new URLSearchParams({ code: 'canary-code', iss: issuer })
  back.set('state', asked.get('state') ?? '')
  change(back)
  // Another process, which has not asked the provider before.
  const other = signInWith(options)
  const answer = await other.finish({ url: `/callback?${back}`, attempt: begun.attempt })
  const shown =
    inspect(answer, { depth: 20, showHidden: true }) +
    JSON.stringify(answer) +
    inspect(console_.map(({ mock }) => mock.calls))
  for (const hidden of ['canary', ...state.seen]) expect(shown).not.toContain(hidden)
  return answer
}

const seconds = (after: number) => Math.floor(Date.now() / 1000) + after
const stranger = await generateKeyPair('RS256')
const asHmacKey = new TextEncoder().encode(await exportSPKI(provider.publicKey))

const json = { 'content-type': 'application/json' }
const endless = (response: ServerResponse) => {
  response.writeHead(200, json)
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
  }
  response.on('drain', more)
  more()
}
const bomb = gzipSync(Buffer.alloc(10_000_000, ' '))

/** Ways to answer, and why each is refused. */
const ANSWERS: Readonly<Record<string, (response: ServerResponse) => void>> = {
  too_large: endless,
  redirect: (response) => response.writeHead(302, { location: 'https://evil.test/' }).end(),
  network: (response) => response.destroy(),
  timeout: () => undefined,
}
const PATHS = ['/.well-known/openid-configuration', '/jwks', '/token', '/info']

/** Values at which `openid-client` throws what is none of its errors. */
const odd = { toString: 5 }

const ATTACKS: readonly (readonly [name: string, attack: Attack, refusal: object])[] = [
  [
    'another issuer in discovery',
    { discovery: { issuer: 'https://evil.test' } },
    { kind: 'IssuerMismatch' },
  ],
  [
    'another issuer in the ID token',
    { claims: { iss: 'https://evil.test' } },
    { kind: 'IssuerMismatch' },
  ],
  ['another audience', { claims: { aud: 'other' } }, { kind: 'AudienceMismatch' }],
  [
    'another authorized party',
    { claims: { aud: ['c1', 'x'], azp: 'x' } },
    { kind: 'AudienceMismatch' },
  ],
  [
    'another authorized party of a single audience',
    { claims: { azp: 'x' } },
    { kind: 'AudienceMismatch' },
  ],
  ['another nonce', { claims: { nonce: 'other' } }, { kind: 'NonceMismatch' }],
  ['no nonce', { claims: { nonce: undefined } }, { kind: 'NonceMismatch' }],
  ['no issuer in the ID token', { claims: { iss: undefined } }, { kind: 'IssuerMismatch' }],
  ['an issuer that is a number', { claims: { iss: 5 } }, { kind: 'IssuerMismatch' }],
  ['no audience', { claims: { aud: undefined } }, { kind: 'InvalidResponse' }],
  [
    'the algorithm none',
    { sign: async (claims) => new UnsecuredJWT({ ...claims }).encode() },
    { kind: 'SignatureMismatch' },
  ],
  [
    'HS256 with the public key',
    {
      sign: (claims) =>
        new SignJWT({ ...claims }).setProtectedHeader({ alg: 'HS256', kid: 'k' }).sign(asHmacKey),
    },
    { kind: 'SignatureMismatch' },
  ],
  [
    'another key',
    { sign: (claims) => provider.signed(claims, stranger.privateKey) },
    { kind: 'SignatureMismatch' },
  ],
  [
    'a token that expired a minute ago',
    { claims: { exp: seconds(-60) } },
    { kind: 'TokenExpired' },
  ],
  ['a token that is valid in a minute', { claims: { nbf: seconds(60) } }, { kind: 'TokenExpired' }],
  [
    'no JSON',
    { token: (response) => response.writeHead(200, json).end('canary') },
    { kind: 'InvalidResponse' },
  ],
  [
    'an error whose text is no code',
    { token: (response) => response.writeHead(400, json).end('{"error":"Canary canary-code"}') },
    { kind: 'ProviderError', error: 'unknown' },
  ],
  [
    'user info of another user',
    { info: (response) => response.writeHead(200, json).end('{"sub":"canary"}') },
    { kind: 'SubjectMismatch' },
  ],
  [
    'an ID token of 10 MB',
    { claims: { x: 'x'.repeat(1e7) } },
    { kind: 'ProviderUnreachable', reason: 'too_large' },
  ],
  ['an endless answer', { token: endless }, { kind: 'ProviderUnreachable', reason: 'too_large' }],
  [
    'a redirect',
    { token: (response) => response.writeHead(307, { location: `${issuer}/info` }).end() },
    { kind: 'ProviderUnreachable', reason: 'redirect' },
  ],
  [
    'a private address in discovery',
    { discovery: { token_endpoint: 'https://10.0.0.1/token' } },
    { kind: 'ProviderUnreachable', reason: 'address' },
  ],
  [
    'a URL without TLS in discovery',
    { discovery: { jwks_uri: 'http://idp.test/jwks' } },
    { kind: 'ProviderUnreachable', reason: 'address' },
  ],
]

describe('A hostile provider', () => {
  it.each(ATTACKS)('is refused for %s', async (_, attack, refusal) => {
    expect((await attacked(attack))._unsafeUnwrapErr()).toEqual(refusal)
  })

  it('gets a user in when it does not attack, and with clocks that differ by 20 seconds', async () => {
    expect((await attacked({}))._unsafeUnwrap()).toMatchObject({ subject: 'ann' })
    const skewed = await attacked({ claims: { exp: seconds(-20), nbf: seconds(20) } })
    expect(skewed.isOk()).toBe(true)
  })

  it.each([
    ['iss', 'https://evil.test', { kind: 'IssuerMismatch' }],
    ['iss', undefined, { kind: 'IssuerMismatch' }],
    ['state', 'other', { kind: 'StateMismatch' }],
    ['state', undefined, { kind: 'StateMismatch' }],
    ['error', 'access_denied', { kind: 'ProviderError', error: 'access_denied' }],
  ])('is refused for %s of %s in the answer', async (name, value, refusal) => {
    const change = (back: URLSearchParams) =>
      value === undefined ? back.delete(name) : back.set(name, value)
    expect((await attacked({}, change))._unsafeUnwrapErr()).toEqual(refusal)
  })

  it.each([
    ['iss', { kind: 'IssuerMismatch' }],
    ['state', { kind: 'StateMismatch' }],
    ['code', { kind: 'InvalidResponse' }],
  ])('is refused for two of %s in the answer', async (name, refusal) => {
    const change = (back: URLSearchParams) => back.append(name, back.get(name) ?? '')
    expect((await attacked({}, change))._unsafeUnwrapErr()).toEqual(refusal)
  })

  it.each([
    ['a status of 500', 500, { 'content-type': 'application/json' }, '{"keys":[]}'],
    ['no JSON', 200, { 'content-type': 'application/json' }, 'canary'],
    ['no list of keys', 200, { 'content-type': 'application/json' }, '{"keys":5}'],
    ['another type of content', 200, { 'content-type': 'text/html' }, '{"keys":[]}'],
  ])('is refused for a key set with %s', async (_, status, headers, body) => {
    const jwks = (response: ServerResponse) => response.writeHead(status, headers).end(body)
    const refused = await attacked({ answers: { '/jwks': jwks } })
    expect(refused._unsafeUnwrapErr()).toEqual({ kind: 'InvalidResponse' })
  })

  it.each([
    [{ authorization_endpoint: undefined }, 'InvalidResponse'],
    [{ authorization_endpoint: 5 }, 'ProviderUnreachable'],
    [{ issuer: 5 }, 'InvalidResponse'],
  ])('is refused before a sign-in for %o', async (discovery, kind) => {
    state.attack = { discovery }
    const begun = await signInWith({}).begin({ orgId: 'acme', idpId: 'own' })
    expect(begun._unsafeUnwrapErr()).toMatchObject({ kind })
  })

  it.each(PATHS.flatMap((path) => Object.entries(ANSWERS).map((each) => [path, ...each] as const)))(
    'is refused at %s for %s',
    async (path, reason, answer) => {
      const answered = await attacked({ answers: { [path]: answer } }, undefined, { timeout: 200 })
      // The ID token says who the user is.
      if (path === '/info') return expect(answered._unsafeUnwrap().subject).toBe('ann')
      const refusal = { kind: 'ProviderUnreachable', reason }
      return expect(answered._unsafeUnwrapErr()).toEqual(refusal)
    },
  )

  it.each([
    [{ issuer: 'no URL' }, { kind: 'InvalidResponse' }],
    [{ authorization_endpoint: odd }, { kind: 'ProviderUnreachable', reason: 'address' }],
    [{ token_endpoint: odd }, { kind: 'ProviderUnreachable', reason: 'address' }],
    [{ jwks_uri: odd }, { kind: 'ProviderUnreachable', reason: 'address' }],
  ])('is refused, and shown by a test, for a discovery of %o', async (discovery, refusal) => {
    expect((await attacked({ discovery }))._unsafeUnwrapErr()).toEqual(refusal)
    state.attack = { discovery }
    const tested = await signInWith({}).test({ orgId: 'acme', idpId: 'own' })
    expect(tested._unsafeUnwrap().checks.map(({ verdict }) => verdict)).toContain('failed')
  })

  it('is refused for a key or an access token of no use', async () => {
    const key = { kty: 'RSA', kid: 'k', alg: 'RS256', n: 'AQAB', e: 'AQAB', key_ops: 5 }
    const jwks = (response: ServerResponse) =>
      response.writeHead(200, json).end(JSON.stringify({ keys: [key] }))
    const refusal = { kind: 'InvalidResponse' }
    expect((await attacked({ answers: { '/jwks': jwks } }))._unsafeUnwrapErr()).toEqual(refusal)
    // It is of use for the user info alone.
    expect((await attacked({ access: 'canary-\u0100' })).isOk()).toBe(true)
  })

  it('cannot answer for another provider, with its own code or name', async () => {
    const other = { ...idp, idpId: 'other', issuer: issuer.replace('127.0.0.1', 'localhost') }
    await iam.identityProviders.addOidc(other, { caller })
    // The browser was led to this provider for an attempt of the other one.
    state.attack = { discovery: { issuer: other.issuer } }
    const signIn = signInWith({})
    const begun = (await signIn.begin({ orgId: 'acme', idpId: 'other' }))._unsafeUnwrap()
    const asked = new URL(begun.url).searchParams
    const back = new URLSearchParams({ code: 'c', iss: issuer })
    back.set('state', asked.get('state') ?? '')
    const finished = await signIn.finish({ url: `/callback?${back}`, attempt: begun.attempt })
    expect(finished._unsafeUnwrapErr()).toEqual({ kind: 'IssuerMismatch' })
  })

  it.each<readonly [string, Attack, object]>([
    [
      'user info that is signed by another key',
      {
        discovery: { userinfo_signing_alg_values_supported: ['RS256'] },
        info: async (response) => {
          const jwt = await provider.signed({ sub: 'ann' }, stranger.privateKey)
          response.writeHead(200, { 'content-type': 'application/jwt' }).end(jwt)
        },
      },
      { kind: 'SignatureMismatch' },
    ],
    [
      'signed user info whose expiry is no number',
      {
        discovery: { userinfo_signing_alg_values_supported: ['RS256'] },
        info: async (response) => {
          const jwt = await provider.signed({ sub: 'ann', exp: 'canary' })
          response.writeHead(200, { 'content-type': 'application/jwt' }).end(jwt)
        },
      },
      { kind: 'InvalidResponse' },
    ],
    [
      '10 MB of claims',
      {
        info: (response) =>
          response.writeHead(200, json).end(`{"sub":"ann","x":"${'x'.repeat(1e7)}"}`),
      },
      { kind: 'ProviderUnreachable', reason: 'too_large' },
    ],
    [
      'a compressed answer of 10 MB',
      {
        info: (response) =>
          response.writeHead(200, { ...json, 'content-encoding': 'gzip' }).end(bomb),
      },
      { kind: 'ProviderUnreachable', reason: 'too_large' },
    ],
    [
      'an address that is none',
      { discovery: { userinfo_endpoint: odd } },
      { kind: 'ProviderUnreachable', reason: 'address' },
    ],
    [
      'an address that may not be asked',
      { discovery: { userinfo_endpoint: 'https://10.0.0.1/' } },
      { kind: 'ProviderUnreachable', reason: 'address' },
    ],
    [
      'a token that is not for it',
      {
        info: (response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end('canary'),
      },
      { kind: 'ProviderError', error: 'unknown' },
    ],
    [
      'no JSON',
      { info: (response) => response.writeHead(200, json).end('canary') },
      { kind: 'InvalidResponse' },
    ],
    [
      'no answer',
      { info: (response) => response.destroy() },
      { kind: 'ProviderUnreachable', reason: 'network' },
    ],
  ])(
    'signs in by the ID token, though the user info cannot be read: %s',
    async (_, attack, refusal) => {
      const faults: SignInFault[] = []
      const options: Partial<SignInOptions> = {
        onFault: (fault) => faults.push(fault),
        userIdOf: () => 'u1',
        groups: { claim: 'groups' },
      }
      const claims = { email: 'ann@acme.test' }
      const user = (await attacked({ ...attack, claims }, undefined, options))._unsafeUnwrap()
      expect(user).toMatchObject({ subject: 'ann', email: 'ann@acme.test', groups: 'unavailable' })
      expect(faults).toMatchObject([{ during: 'user_info', refusal }])
      const groups = { groups: ['staff'] }
      const named = await attacked({ ...attack, claims: groups }, undefined, options)
      expect(named._unsafeUnwrap().groups).toEqual(['staff'])
    },
  )

  it.each([
    [{ email: 'ann@acme.test', email_verified: false }],
    [{ email: 'ann@acme.test', email_verified: 'false' }],
    [{ email: 'ann@acme.test', email_verified: 1 }],
    [{ email: 'ann@other.test', email_verified: true }],
    [{ email: 'ann', email_verified: true }],
    [{ email: '@', email_verified: true }],
    [{ email: 5, email_verified: true }],
    [{ email_verified: true }],
  ])('owns no address by %o', async (claims) => {
    const route: typeof iam.domains.route = ({ email }) =>
      iam.domains
        .route({ email })
        .map((found) => (email === 'ann@acme.test' ? { orgId: 'acme', idpId: 'own' } : found))
    const options = { iam: { ...iam, domains: { ...iam.domains, route } } }
    const owned = async (given: object) =>
      (await attacked({ claims: { ...given } }, undefined, options))._unsafeUnwrap().emailIsOwn
    for (const isVerified of [true, 'true'])
      expect(await owned({ email: 'ann@acme.test', email_verified: isVerified })).toBe(true)
    expect(await owned(claims)).toBe(false)
  })

  it.each([
    ['ann@BÜCHER.example', 'ann@xn--bcher-kva.example'],
    ['ann@b\u00fccher\u3002example', 'ann@xn--bcher-kva.example'],
    ['Ann@XN--BCHER-KVA.example', 'Ann@xn--bcher-kva.example'],
  ])('owns %s in the form that was compared', async (email, form) => {
    const route: typeof iam.domains.route = (asked) =>
      iam.domains.route(asked).map(() => ({ orgId: 'acme', idpId: 'own' }))
    const options = { iam: { ...iam, domains: { ...iam.domains, route } } }
    const claims = { email, email_verified: true }
    const user = (await attacked({ claims }, undefined, options))._unsafeUnwrap()
    expect([user.emailIsOwn, user.email]).toEqual([true, form])
    // An address of somebody else is shown as the provider sent it.
    expect((await attacked({ claims }))._unsafeUnwrap()).toMatchObject({ emailIsOwn: false, email })
  })

  it('is asked with the usual method when it names none', async () => {
    const discovery = { token_endpoint_auth_methods_supported: 5 }
    expect((await attacked({ discovery })).isOk()).toBe(true)
  })

  const pass = { scopes_supported: ['openid', 'profile', 'email'] }
  it.each<readonly [Attack, Readonly<Record<string, string>>]>([
    [{ discovery: { issuer: 'https://evil.test' } }, { issuer: 'failed' }],
    [{ discovery: { issuer: 5 } }, { discovery: 'failed' }],
    [{ discovery: { checks: [] } }, { discovery: 'ok' }],
    [{ discovery: { jwks_uri: undefined } }, { endpoints: 'failed' }],
    [{ discovery: { token_endpoint: 'https://10.0.0.1/' } }, { endpoints: 'failed' }],
    [{ discovery: { code_challenge_methods_supported: ['plain'] } }, { pkce: 'warning' }],
    [{ discovery: { code_challenge_methods_supported: 5 } }, { pkce: 'warning' }],
    [{ discovery: { scopes_supported: ['email'] } }, { scopes: 'warning' }],
    [{ discovery: pass }, { scopes: 'ok' }],
    [{ discovery: { end_session_endpoint: 'http://idp.test/' } }, { endpoints: 'ok', keys: 'ok' }],
    [
      { answers: { '/jwks': (response) => response.writeHead(404, json).end('{}') } },
      { keys: 'failed' },
    ],
    [
      { answers: { '/jwks': (response) => response.writeHead(200, json).end('{"keys":[]}') } },
      { keys: 'failed' },
    ],
    [
      {
        answers: {
          '/jwks': (response) =>
            response
              .writeHead(200, json)
              .end(
                '{"keys":[{"kty":"RSA","n":"AQAB","e":"AQAB"},{"kty":"EC","use":"enc","crv":"P-256"},5]}',
              ),
        },
      },
      { keys: 'failed' },
    ],
    [
      { discovery: { id_token_signing_alg_values_supported: ['none', 'HS256'] } },
      { signing_algorithms: 'failed' },
    ],
    [{ token: (response) => response.writeHead(500).end('canary') }, { secret: 'warning' }],
    [
      { token: (response) => response.writeHead(400, json).end('{"error":"invalid_client"}') },
      { secret: 'failed' },
    ],
    [
      { token: (response) => response.writeHead(400, json).end('{"error":"invalid_grant"}') },
      { secret: 'ok' },
    ],
  ])('is shown by a test: %o', async (attack, expected) => {
    state.attack = attack
    const tested = (await signInWith({}).test({ orgId: 'acme', idpId: 'own' }))._unsafeUnwrap()
    const verdicts = tested.checks.map(({ name, verdict }) => [name, verdict])
    expect(Object.fromEntries(verdicts)).toMatchObject(expected)
    expect(JSON.stringify(tested)).not.toContain('canary')
  })

  it.each<readonly [object, readonly string[]]>([
    [{ scopes: [] }, ['The scope email is not requested']],
    [{ scopes: ['openid', 'email'] }, []],
    [
      { usernameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME', scopes: ['email'] },
      ['the scope profile is not requested'],
    ],
    [
      { displayNameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME', scopes: ['profile'] },
      ['The scope email is not requested'],
    ],
    [
      { displayNameMapping: 'OIDC_MAPPING_FIELD_PREFERRED_USERNAME', scopes: [] },
      ['The scope email is not requested', 'the scope profile is not requested'],
    ],
  ])('warns about claims whose scope is not requested: %o', async (fields, warnings) => {
    const idpId = crypto.randomUUID()
    const added = await iam.identityProviders.addOidc({ ...idp, ...fields, idpId }, { caller })
    added._unsafeUnwrap()
    const { checks } = (await signInWith({}).test({ orgId: 'acme', idpId }))._unsafeUnwrap()
    const claims = checks.filter(({ name }) => name === 'claims')
    expect(claims.map(({ verdict }) => verdict)).toEqual(warnings.length > 0 ? ['warning'] : [])
    for (const warning of warnings) expect(claims[0]?.message).toContain(warning)
  })

  it('is given up when it does not answer, and its connection is closed', async () => {
    let closed: Promise<unknown> | undefined
    const token = (response: ServerResponse) => {
      closed = once(response, 'close')
    }
    const answer = await attacked({ token }, undefined, { timeout: 300 })
    const timeout = { kind: 'ProviderUnreachable', reason: 'timeout' }
    expect(answer._unsafeUnwrapErr()).toEqual(timeout)
    await closed
  })
})
