import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { openIdSignIn } from 'claviger/oidc'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { type Attack, hostileProvider } from './hostile-provider.js'

const { issuer, state, close } = await hostileProvider()
afterAll(close)
beforeEach(() => {
  state.attack = {}
})
const caller = { userId: 'sign-in', orgId: 'acme' }
const own = { orgId: 'acme', idpId: 'own' }

const opened = async (idp: object = {}) => {
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
    authorize: () => true,
  })
  const stored = { idpId: 'own', name: 'Own', clientId: 'c1', clientSecret: 's3cret', issuer }
  ;(await iam.identityProviders.addOidc({ ...stored, ...idp }, { caller }))._unsafeUnwrap()
  return openIdSignIn({
    iam,
    caller,
    key: new Uint8Array(32),
    callbackBase: 'https://host.test/callback',
    allowHttpLoopback: true,
  })
}

/** What a sign-in with an odd provider ends with. */
const signedIn = async (attack: Attack, access?: object) => {
  const signIn = await opened()
  state.attack = attack
  const { url, attempt } = (await signIn.begin(own))._unsafeUnwrap()
  const asked = new URL(url).searchParams
  state.nonce = asked.get('nonce') ?? ''
  if (access) state.tokens = access
  const back = new URLSearchParams({ code: 'c', iss: issuer, state: asked.get('state') ?? '' })
  const finished = await signIn.finish({ url: `/callback/acme/own?${back}`, attempt })
  state.tokens = {}
  return finished
}

it.each<{ readonly name: string; readonly attack?: Attack; readonly tokens?: object }>([
  { name: 'a scope that is a list (Twitch, Authorizer, SATOSA)', tokens: { scope: ['openid'] } },
  { name: 'an empty scope', tokens: { scope: '' } },
  {
    name: 'null in place of what is absent',
    tokens: { scope: null, refresh_token: null, expires_in: null },
  },
  { name: 'a lifetime that is no number', tokens: { expires_in: 'never' } },
  { name: 'an audience in a list', attack: { claims: { aud: ['c1'] } } },
  {
    name: 'audiences in a list, with azp (Keycloak)',
    attack: { claims: { aud: ['account', 'c1'], azp: 'c1' } },
  },
  { name: 'an azp that is null', attack: { claims: { azp: null } } },
  {
    name: 'null endpoints',
    attack: { discovery: { end_session_endpoint: null, userinfo_endpoint: null } },
  },
  {
    name: 'a logout over http',
    attack: { discovery: { end_session_endpoint: 'http://idp.test/logout' } },
  },
  {
    name: 'a registration over http',
    attack: { discovery: { registration_endpoint: 'http://idp.test/register' } },
  },
  {
    name: 'endpoints that are no URL',
    attack: { discovery: { check_session_iframe: 'none', revocation_endpoint: 5 } },
  },
])('Signs in with a provider that has $name', async ({ attack = {}, tokens }) => {
  expect((await signedIn(attack, tokens))._unsafeUnwrap().subject).toBe('ann')
})

it('Takes from the user info what is null in the ID token', async () => {
  const info: Attack['info'] = (response) =>
    response
      .writeHead(200, { 'content-type': 'application/json' })
      .end(JSON.stringify({ sub: 'ann', email: 'ann@acme.test', email_verified: 'true' }))
  const user = (
    await signedIn({ claims: { email: null, email_verified: null }, info })
  )._unsafeUnwrap()
  expect(user).toMatchObject({ email: 'ann@acme.test', emailVerified: true })
})

it.each([
  [{ aud: ['c1', 'other'] }, 'AudienceMismatch'],
  [{ aud: ['c1', 'other'], azp: 'other' }, 'AudienceMismatch'],
  [{ azp: 'other' }, 'AudienceMismatch'],
])('Refuses a token for others: %j', async (claims, kind) => {
  expect((await signedIn({ claims }))._unsafeUnwrapErr().kind).toBe(kind)
})

const checked = async (idp: object, attack: Attack = {}) => {
  const signIn = await opened(idp)
  state.attack = attack
  const { checks } = (await signIn.test(own))._unsafeUnwrap()
  return Object.fromEntries(checks.map(({ name, message }) => [name, message]))
}

it('A test names both issuers, on one line', async () => {
  const named = 'https://login.test/tenant/\u202e\n'
  const { issuer: message } = await checked({}, { discovery: { issuer: named } })
  expect(message).toContain('names the issuer https://login.test/tenant/')
  expect(message).not.toMatch(/[\u202e\n]/)
  const pasted = await checked({ issuer: `${issuer}/.well-known/openid-configuration` })
  expect(pasted['issuer']).toContain(`names the issuer ${issuer}, which is not the stored one`)
  const slash = await checked({ issuer: `${issuer}/` })
  expect(slash['issuer'] ?? slash['discovery']).toBeDefined()
})

it.each([
  [{ clientSecret: 's3cret\n' }, 'The client secret begins or ends with a space or a line break.'],
  [{ clientId: ' c1' }, 'The client id begins or ends with a space or a line break.'],
  [{ clientId: 'c1\u00a0', clientSecret: '\ts' }, 'The client secret begins or ends'],
])('A test tells what was pasted with a space: %j', async (idp, hint) => {
  const token: Attack['token'] = (response) =>
    response
      .writeHead(401, { 'content-type': 'application/json' })
      .end('{"error":"invalid_client"}')
  expect((await checked(idp, { token }))['secret']).toContain(hint)
})

it('A test shows what the provider said, without the secret', async () => {
  const said = { error: 'invalid_client', error_description: 'AADSTS7000222: s3cret expired.' }
  const token: Attack['token'] = (response) =>
    response.writeHead(401, { 'content-type': 'application/json' }).end(JSON.stringify(said))
  const { secret } = await checked({}, { token })
  expect(secret).toBe(
    'The provider rejects client id or secret. It says: invalid_client: AADSTS7000222: [hidden] expired.',
  )
})

it('A test shows what the provider said in a challenge', async () => {
  const challenge = 'Basic realm="p", error="invalid_client", error_description="client unknown"'
  const token: Attack['token'] = (response) =>
    response.writeHead(401, { 'www-authenticate': challenge }).end()
  const { secret } = await checked({}, { token })
  expect(secret).toBe(
    'The provider rejects client id or secret. It says: invalid_client: client unknown',
  )
})

it('A test tells a key set that cannot be read from one without keys', async () => {
  const missing: Attack = { answers: { '/jwks': (response) => response.writeHead(404).end() } }
  expect((await checked({}, missing))['keys']).toContain('status 404')
  // https://github.com/zalando-stups/planb-provider/issues/23
  const page: Attack = {
    answers: {
      '/jwks': (response) =>
        response.writeHead(200, { 'content-type': 'text/html' }).end('{"keys":[]}'),
    },
  }
  expect((await checked({}, page))['keys']).toContain('status 200 (text/html)')
  const broken: Attack = { answers: { '/jwks': (response) => response.destroy() } }
  expect((await checked({}, broken))['keys']).toContain('cannot be read: network')
})
