import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { openIdSignIn, type SignInOptions } from 'claviger/oidc'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { hostileProvider } from './hostile-provider.js'

const honest = await hostileProvider()
const attacker = createServer().listen(0, '127.0.0.1')
await once(attacker, 'listening')
const attackersIssuer = `http://127.0.0.1:${(attacker.address() as AddressInfo).port}`
/** The codes that reached the attacker. */
const stolen: string[] = []
const metadata = {
  issuer: attackersIssuer,
  // The attacker sends the browser on to the honest provider.
  authorization_endpoint: `${attackersIssuer}/authorize`,
  token_endpoint: `${attackersIssuer}/token`,
  jwks_uri: `${attackersIssuer}/jwks`,
}
attacker.on('request', async (request, response) => {
  const code = new URLSearchParams(await text(request)).get('code')
  if (code !== null) stolen.push(code)
  response.setHeader('content-type', 'application/json').end(JSON.stringify(metadata))
})
afterAll(() => {
  honest.close()
  attacker.closeAllConnections()
  attacker.close()
})
afterEach(() => {
  honest.state.attack = {}
})

const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
  authorize: () => true,
})
const callerIn = (orgId: string) => ({ userId: 'sign-in', orgId })
const add = (orgId: string, issuer: string) =>
  iam.identityProviders.addOidc(
    { idpId: 'sso', name: 'SSO', clientId: 'c1', clientSecret: 's', issuer, scopes: ['email'] },
    { caller: callerIn(orgId) },
  )
await add('acme', honest.issuer)
await add('evil', attackersIssuer)

const shared = 'https://host.test/callback'
const own: SignInOptions['redirectUri'] = ({ orgId, idpId }) =>
  `https://host.test/app/callback/${orgId}/${idpId}`
const signInWith = (redirectUri: SignInOptions['redirectUri']) =>
  openIdSignIn({
    iam,
    redirectUri,
    caller: callerIn,
    key: new Uint8Array(32),
    lookup: false,
    allowHttpLoopback: true,
  })

const unnamed = { discovery: { authorization_response_iss_parameter_supported: undefined } }
const acme = { orgId: 'acme', idpId: 'sso' }
const evil = { orgId: 'evil', idpId: 'sso' }

/** Begins at a provider, and answers the callback with its state. */
const begunAt = async (provider: typeof acme, redirectUri: SignInOptions['redirectUri']) => {
  const signIn = signInWith(redirectUri)
  const { url, attempt } = (await signIn.begin(provider))._unsafeUnwrap()
  const asked = new URL(url).searchParams
  honest.state.nonce = asked.get('nonce') ?? ''
  const back = (callback: string) => `${callback}?code=of-acme&state=${asked.get('state')}`
  return { signIn, attempt, asked, back }
}

describe('A redirect URI for each provider', () => {
  it('is sent to the provider, and signs in with one that does not name itself', async () => {
    honest.state.attack = unnamed
    const { signIn, attempt, asked, back } = await begunAt(acme, own)
    expect(asked.get('redirect_uri')).toBe('https://host.test/app/callback/acme/sso')
    const request = { url: back('http://internal:8080/app/callback/acme/sso') }
    const finished = await signIn.finish({ request, attempt })
    expect(finished._unsafeUnwrap()).toMatchObject({ orgId: 'acme', subject: 'ann' })
  })

  it('gives no code to an attacker who leads the browser to another provider', async () => {
    honest.state.attack = unnamed
    const { signIn, attempt, back } = await begunAt(evil, own)
    // The honest provider sends the browser to its own callback alone.
    const url = back('https://host.test/app/callback/acme/sso')
    const finished = await signIn.finish({ url, attempt })
    const mismatch = { kind: 'AttemptMismatch', field: 'redirectUri' }
    expect(finished._unsafeUnwrapErr()).toEqual(mismatch)
    expect(stolen).toEqual([])
  })

  it.each(['', '/', '/callback/acme/sso', '/app/callback/acme/sso/', '/app/callback/acme'])(
    'is not a callback to %o',
    async (callback) => {
      const { signIn, attempt, back } = await begunAt(acme, own)
      const finished = await signIn.finish({ url: back(callback), attempt })
      const mismatch = { kind: 'AttemptMismatch', field: 'redirectUri' }
      expect(finished._unsafeUnwrapErr()).toEqual(mismatch)
    },
  )

  it.each([
    () => '/callback',
    () => 'https://host.test/callback?idp=sso',
    () => undefined as never,
    () => {
      throw new Error('down')
    },
  ])('is Unavailable when the host answers none: %s', async (redirectUri) => {
    const begun = await signInWith(redirectUri).begin(acme)
    expect(begun._unsafeUnwrapErr()).toMatchObject({
      kind: 'Unavailable',
      cause: expect.any(Error),
    })
  })
})

describe('Redirect URIs of a careless function', () => {
  const base = 'https://host.test/callback'
  it.each<readonly [string, (ids: { orgId: string; idpId: string }) => string]>([
    ['the id of the provider alone', ({ idpId }) => `${base}/${idpId}`],
    ['the organization alone', ({ orgId }) => `${base}/${orgId}`],
    ['nothing', () => base],
    ['a dash', ({ orgId, idpId }) => `${base}/${orgId}-${idpId}`],
    ['a dot', ({ orgId, idpId }) => `${base}/${orgId}.${idpId}`],
    ['an underscore', ({ orgId, idpId }) => `${base}/${orgId}_${idpId}`],
    ['a colon', ({ orgId, idpId }) => `${base}/${orgId}:${idpId}`],
    ['no separator', ({ orgId, idpId }) => `${base}/${orgId}${idpId}`],
    ['lower case', ({ orgId, idpId }) => `${base}/${orgId}/${idpId}`.toLowerCase()],
    ['lower case of one', ({ orgId, idpId }) => `${base}/${orgId}/${idpId.toLowerCase()}`],
    [
      'the order of the alphabet',
      ({ orgId, idpId }) => `${base}/${[orgId, idpId].sort().join('/')}`,
    ],
    ['letters alone', ({ orgId, idpId }) => `${base}/${orgId.replaceAll(/\W/g, '')}/${idpId}`],
    ['the host', ({ orgId, idpId }) => `https://${orgId}.host.test/callback/${idpId}`],
  ])('are refused: %s', (_, redirectUri) => {
    expect(() => signInWith(redirectUri)).toThrow(TypeError)
    expect(() => signInWith(redirectUri)).toThrow(/^redirectUri must return another path for each/)
  })

  it('are not tried of providers that the function does not know', () => {
    const table: Record<string, string> = { 'acme sso': `${base}/1`, 'evil sso': `${base}/2` }
    const known = signInWith(({ orgId, idpId }) => {
      const uri = table[`${orgId} ${idpId}`]
      if (uri === undefined) throw new Error('unknown')
      return uri
    })
    expect(known.redirectUri(acme)).toBe(`${base}/1`)
    expect(() => known.redirectUri({ orgId: 'acme', idpId: 'other' })).toThrow('unknown')
  })
})

describe('callbackBase', () => {
  const options = { iam, caller: callerIn, key: new Uint8Array(32), allowHttpLoopback: true }

  it.each(['https://host.test/app/callback', 'https://host.test/app/callback/'])(
    'gives each provider a redirect URI of its own: %s',
    async (callbackBase) => {
      honest.state.attack = unnamed
      const signIn = openIdSignIn({ ...options, callbackBase })
      expect(signIn.redirectUri(acme)).toBe('https://host.test/app/callback/acme/sso')
      const { url, attempt } = (await signIn.begin(acme))._unsafeUnwrap()
      const asked = new URL(url).searchParams
      expect(asked.get('redirect_uri')).toBe(signIn.redirectUri(acme))
      honest.state.nonce = asked.get('nonce') ?? ''
      const answer = (callback: string) => `${callback}?code=c&state=${asked.get('state')}`
      const elsewhere = await signIn.finish({ url: answer('/app/callback/evil/sso'), attempt })
      expect(elsewhere._unsafeUnwrapErr().kind).toBe('AttemptMismatch')
      const finished = await signIn.finish({ url: answer('/app/callback/acme/sso'), attempt })
      expect(finished._unsafeUnwrap().subject).toBe('ann')
    },
  )

  it.each([
    [{ callbackBase: '/callback' }, /^callbackBase must be an absolute URL/],
    [{ callbackBase: 'https://host.test/?a' }, /^callbackBase must be an absolute URL/],
    [{ callbackBase: shared, redirectUri: shared }, 'redirectUri is not used with callbackBase'],
    [{}, /^redirectUri must be an absolute URL/],
  ])('is refused: %j', (wrong, message) => {
    expect(() => openIdSignIn({ ...options, ...wrong })).toThrow(TypeError)
    expect(() => openIdSignIn({ ...options, ...wrong })).toThrow(message)
  })
})

describe('One redirect URI for all providers', () => {
  it('refuses a provider that does not name itself, and a test says so', async () => {
    honest.state.attack = unnamed
    const signIn = signInWith(shared)
    expect((await signIn.begin(acme))._unsafeUnwrapErr()).toEqual({ kind: 'SharedRedirectUri' })
    expect((await signIn.begin(evil))._unsafeUnwrapErr()).toEqual({ kind: 'SharedRedirectUri' })
    const failed = { name: 'redirect_uri', verdict: 'failed' }
    expect((await signIn.test(acme))._unsafeUnwrap().checks).toContainEqual(
      expect.objectContaining(failed),
    )
    for (const fine of [signInWith(own), signIn]) {
      const { checks } = (await fine.test(acme))._unsafeUnwrap()
      expect(checks.some(({ name }) => name === 'redirect_uri')).toBe(fine === signIn)
    }
  })

  it('refuses a provider that names itself no longer when the browser comes back', async () => {
    const { attempt, back } = await begunAt(acme, shared)
    honest.state.attack = unnamed
    const finished = await signInWith(shared).finish({ url: back('/callback'), attempt })
    expect(finished._unsafeUnwrapErr()).toEqual({ kind: 'SharedRedirectUri' })
  })
})
