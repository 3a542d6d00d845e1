import { inspect } from 'node:util'
import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { openIdSignIn, type SignInFault, type SignInOptions } from 'claviger/oidc'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { type Attack, hostileProvider } from './hostile-provider.js'

const { issuer, state, close } = await hostileProvider()
afterAll(close)

const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
  authorize: () => true,
})
const caller = { userId: 'sign-in', orgId: 'acme' }
const clientSecret = 'canary-secret'
const own = { orgId: 'acme', idpId: 'own' }
const idp = { idpId: 'own', name: 'Own', clientId: 'c1', issuer, clientSecret }
await iam.identityProviders.addOidc(idp, { caller })

const faults: SignInFault[] = []
beforeEach(() => {
  faults.length = 0
  state.attack = {}
})
const signInWith = (options: Partial<SignInOptions> = {}) =>
  openIdSignIn({
    iam,
    caller,
    key: new Uint8Array(32),
    callbackBase: 'https://host.test/callback',
    allowHttpLoopback: true,
    onFault: (fault) => faults.push(fault),
    ...options,
  })
const finished = async (attack: Attack, signIn = signInWith()) => {
  const { url, attempt } = (await signIn.begin(own))._unsafeUnwrap()
  const asked = new URL(url).searchParams
  state.nonce = asked.get('nonce') ?? ''
  state.attack = attack
  const back = new URLSearchParams({ code: 'canary-code', iss: issuer })
  back.set('state', asked.get('state') ?? '')
  return signInWith().finish({ url: `/callback/acme/own?${back}`, attempt })
}
const json = { 'content-type': 'application/json' }

it.each<readonly [string, Attack, object]>([
  [
    'the words of the provider, without what is secret',
    {
      token: (response) =>
        response.writeHead(401, json).end(
          JSON.stringify({
            error: 'invalid_client',
            error_description: 'AADSTS7000222: expired\n\u202e canary-secret canary-code',
          }),
        ),
    },
    { message: 'invalid_client: AADSTS7000222: expired   [hidden] [hidden]' },
  ],
  [
    'why a response is not valid',
    { claims: { exp: 'tomorrow' } },
    { code: 'OAUTH_INVALID_RESPONSE', message: expect.stringContaining('"exp"') },
  ],
  [
    'which claim differs',
    { claims: { aud: 'another' } },
    { code: 'OAUTH_JWT_CLAIM_COMPARISON_FAILED', message: expect.stringContaining('"aud"') },
  ],
  [
    'that a key set is none',
    { answers: { '/jwks': (response) => response.writeHead(404, json).end('{}') } },
    { message: 'The key set is no JSON with keys, but status 404' },
  ],
  [
    'how a connection broke',
    { token: (response) => response.destroy() },
    { code: 'ECONNRESET', message: 'socket hang up' },
  ],
])('A refusal has a cause, of which the host is told: %s', async (_, attack, cause) => {
  const refusal = (await finished(attack))._unsafeUnwrapErr()
  expect(refusal).toHaveProperty('cause', expect.objectContaining(cause))
  expect(faults).toEqual([{ during: 'finish', refusal, cause: expect.objectContaining(cause) }])
  expect(JSON.stringify(refusal)).not.toContain('cause')
  expect(inspect(refusal, { showHidden: true, depth: 9 })).not.toContain('canary')
})

it('A test of a provider tells the host why it failed', async () => {
  state.attack = {
    answers: { '/.well-known/openid-configuration': (response) => response.destroy() },
  }
  const { checks } = (await signInWith().test(own))._unsafeUnwrap()
  expect(checks).toMatchObject([{ name: 'discovery', verdict: 'failed' }])
  expect(faults).toMatchObject([
    { during: 'test', refusal: { kind: 'ProviderUnreachable' }, cause: { code: 'ECONNRESET' } },
  ])
})

it('A function of the host that throws is told, and so is a refusal of the library', async () => {
  const failing = () => {
    throw new Error('the users are down')
  }
  const refused = await signInWith({ caller: failing }).begin(own)
  expect(refused._unsafeUnwrapErr().kind).toBe('Unavailable')
  expect(faults).toMatchObject([{ during: 'begin', cause: { message: 'the users are down' } }])
})

it('A host that cannot take a fault disturbs no sign-in, and a refusal without a cause is none', async () => {
  const onFault = () => {
    throw new Error('no log')
  }
  state.attack = {
    answers: { '/.well-known/openid-configuration': (response) => response.destroy() },
  }
  expect((await signInWith({ onFault }).begin(own)).isErr()).toBe(true)
  const url = '/callback/acme/own?code=c&state=s'
  const refused = await signInWith().finish({ url, attempt: undefined })
  expect(refused._unsafeUnwrapErr()).toEqual({ kind: 'AttemptTampered' })
  expect(faults).toEqual([])
})
