import type { ServerResponse } from 'node:http'
import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { openIdSignIn } from 'claviger/oidc'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { ServerMetadata } from 'openid-client'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type DocumentCache, documentCache } from '../../src/oidc/document-cache.js'
import { hostileProvider } from './hostile-provider.js'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
})

const metadata = (issuer: string, more = ''): ServerMetadata => ({ issuer, more })

const keep = (cache: DocumentCache<ServerMetadata>, key: string, more = '') =>
  cache.load(key, 0, async () => metadata(key, more))

describe('A cache of documents', () => {
  it('uses a document for five minutes', async () => {
    const cache = documentCache<ServerMetadata>()
    await keep(cache, 'a')
    vi.advanceTimersByTime(299_999)
    expect(cache.find('a')).toEqual(metadata('a'))
    vi.advanceTimersByTime(1)
    expect(cache.find('a')).toBeUndefined()
  })

  it('keeps 100 documents, the latest', async () => {
    const cache = documentCache<ServerMetadata>()
    for (let n = 0; n <= 100; n++) await keep(cache, `${n}`)
    expect(cache.find('0')).toBeUndefined()
    expect(cache.find('1')).toBeDefined()
    expect(cache.find('100')).toBeDefined()
  })

  it('keeps 4 MiB, and one document for a key', async () => {
    const cache = documentCache<ServerMetadata>()
    const large = 'x'.repeat(500_000)
    for (let n = 0; n < 100; n++) await keep(cache, 'same', large)
    for (let n = 0; n < 7; n++) await keep(cache, `${n}`, large)
    expect(cache.find('same')).toBeDefined()
    await keep(cache, 'last', large)
    expect(cache.find('same')).toBeUndefined()
    expect(cache.find('0')).toBeDefined()
  })

  it('loads a document once for all who wait, and again when it is older than asked', async () => {
    const cache = documentCache<ServerMetadata>()
    let loads = 0
    const load = async () => metadata('a', `${++loads}`)
    await Promise.all([1, 2, 3].map(() => cache.load('a', 10_000, load)))
    vi.advanceTimersByTime(9_999)
    expect(await cache.load('a', 10_000, load)).toEqual(metadata('a', '1'))
    vi.advanceTimersByTime(1)
    expect(await cache.load('a', 10_000, load)).toEqual(metadata('a', '2'))
  })

  it('finds an expired document only after it was loaded again', async () => {
    const cache = documentCache<ServerMetadata>()
    await keep(cache, 'a')
    cache.expire('a')
    cache.expire('never loaded')
    expect(cache.find('a')).toBeUndefined()
    await keep(cache, 'a')
    expect(cache.find('a')).toEqual(metadata('a'))
  })

  it('keeps nothing of a load that fails', async () => {
    const cache = documentCache<ServerMetadata>()
    const failing = cache.load('a', 0, () => Promise.reject(new Error('down')))
    await expect(failing).rejects.toThrow('down')
    expect(cache.find('a')).toBeUndefined()
    await keep(cache, 'a')
    expect(cache.find('a')).toEqual(metadata('a'))
  })

  it('remembers a failure for the pause, and 100 of them', async () => {
    const cache = documentCache<ServerMetadata>(5_000)
    let loads = 0
    const fail = (key: string) => cache.load(key, 0, () => Promise.reject(new Error(`${++loads}`)))
    await expect(fail('a')).rejects.toThrow('1')
    vi.advanceTimersByTime(4_999)
    await expect(fail('a')).rejects.toThrow('1')
    vi.advanceTimersByTime(1)
    await expect(fail('a')).rejects.toThrow('2')
    vi.advanceTimersByTime(5_000)
    await keep(cache, 'a')
    expect(await cache.load('a', 5_000, () => Promise.reject())).toEqual(metadata('a'))
    for (let n = 0; n <= 100; n++) await expect(fail(`${n}`)).rejects.toThrow()
    const before = loads
    await expect(fail('100')).rejects.toThrow()
    expect(loads).toBe(before)
    await expect(fail('0')).rejects.toThrow()
    expect(loads).toBe(before + 1)
  })
})

describe('A sign-in', async () => {
  const provider = await hostileProvider()
  const { issuer, state } = provider
  afterAll(provider.close)
  const caller = { userId: 'sign-in', orgId: 'acme' }
  const asked: string[] = []

  const open = async () => {
    const iam = createIam({
      store: memoryEventStore(),
      secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
      authorize: () => true,
    })
    const idp = { idpId: 'own', name: 'Own', clientId: 'c1', issuer, clientSecret: 'first' }
    await iam.identityProviders.addOidc(idp, { caller })
    asked.length = 0
    const signIn = () =>
      openIdSignIn({
        iam,
        caller,
        redirectUri: 'https://host.test/callback',
        key: new Uint8Array(32),
        lookup: false,
        allowHttpLoopback: true,
        fetch: (url, init) => {
          asked.push(url.slice(issuer.length))
          return fetch(url, init)
        },
      })
    return { iam, signIn }
  }
  const asksOf = (path: string) => asked.filter((each) => each.startsWith(path)).length
  const through = async (signIn: ReturnType<typeof openIdSignIn>) => {
    const begun = await signIn.begin({ orgId: 'acme', idpId: 'own' })
    const { url, attempt } = begun._unsafeUnwrap()
    const { searchParams } = new URL(url)
    state.nonce = searchParams.get('nonce') ?? ''
    const back = new URLSearchParams({ code: 'c', iss: issuer })
    back.set('state', searchParams.get('state') ?? '')
    return signIn.finish({ url: `/callback?${back}`, attempt })
  }

  it('asks for discovery and key set once, and for the user info each time', async () => {
    const { signIn } = await open()
    const one = signIn()
    for (let n = 0; n < 3; n++) expect((await through(one)).isOk()).toBe(true)
    expect([asksOf('/.well-known'), asksOf('/jwks'), asksOf('/info')]).toEqual([1, 1, 3])
    expect((await one.test({ orgId: 'acme', idpId: 'own' })).isOk()).toBe(true)
    // A test asks anew.
    expect([asksOf('/.well-known'), asksOf('/jwks')]).toEqual([2, 2])
    vi.advanceTimersByTime(300_000)
    expect((await through(one)).isOk()).toBe(true)
    expect(asksOf('/jwks')).toBe(3)
  })

  /** A provider that signs with a key, and shows these in its key set. */
  const rotated = async (kid: string | undefined, shown: readonly JWK[]) => {
    const keys = await generateKeyPair('RS256', { extractable: true })
    const key = { ...(await exportJWK(keys.publicKey)), ...(kid && { kid }), alg: 'RS256' }
    const header = { alg: 'RS256', ...(kid && { kid }) }
    return {
      key,
      attack: {
        sign: (claims: Readonly<Record<string, unknown>>) =>
          new SignJWT({ ...claims }).setProtectedHeader(header).sign(keys.privateKey),
        answers: {
          '/jwks': (response: ServerResponse) =>
            response
              .writeHead(200, { 'content-type': 'application/jwk-set+json' })
              .end(JSON.stringify({ keys: shown.length > 0 ? shown : [key] })),
        },
      },
    }
  }

  const keysOf = (...keys: readonly JWK[]) => ({
    '/jwks': (response: ServerResponse) =>
      response
        .writeHead(200, { 'content-type': 'application/jwk-set+json' })
        .end(JSON.stringify({ keys })),
  })

  it('asks for the key set again at a key id that it lacks, at most once in ten seconds', async () => {
    const { signIn } = await open()
    const one = signIn()
    expect((await through(one)).isOk()).toBe(true)
    vi.advanceTimersByTime(10_000)
    const old = await rotated('old', [])
    state.attack = (await rotated('new', [])).attack
    expect((await through(one)).isOk()).toBe(true)
    expect(asksOf('/jwks')).toBe(2)

    state.attack = (await rotated('hidden', [old.key])).attack
    for (let n = 0; n < 3; n++) {
      vi.advanceTimersByTime(3_000)
      const refused = await through(one)
      expect(refused._unsafeUnwrapErr()).toEqual({ kind: 'SignatureMismatch' })
    }
    expect(asksOf('/jwks')).toBe(2)
    vi.advanceTimersByTime(1_000)
    const refused = await Promise.all([through(one), through(one)])
    expect(refused.map((each) => each.isErr())).toEqual([true, true])
    expect(asksOf('/jwks')).toBe(3)
    state.attack = {}
  })

  it('follows a provider that puts another key in the place of one', async () => {
    const { signIn } = await open()
    const one = signIn()
    state.attack = (await rotated(undefined, [])).attack
    expect((await through(one)).isOk()).toBe(true)
    vi.advanceTimersByTime(10_000)
    state.attack = (await rotated(undefined, [])).attack
    expect((await through(one))._unsafeUnwrapErr()).toEqual({ kind: 'SignatureMismatch' })
    expect((await through(one)).isOk()).toBe(true)
    state.attack = {}
  })

  it('follows a provider that mends a key that nobody could read', async () => {
    const { signIn } = await open()
    const one = signIn()
    const first = await rotated('k', [])
    state.attack = {
      ...first.attack,
      answers: keysOf({ kty: 'RSA', kid: 'k', alg: 'RS256', e: 'AQAB' }),
    }
    expect((await through(one))._unsafeUnwrapErr()).toEqual({ kind: 'InvalidResponse' })
    state.attack = first.attack
    vi.advanceTimersByTime(10_000)
    expect((await through(one)).isOk()).toBe(true)
    state.attack = {}
  })

  it('asks again after a failure, and of another issuer', async () => {
    const { iam, signIn } = await open()
    const one = signIn()
    state.attack = { discovery: { token_endpoint: 'https://10.0.0.1/' } }
    const refused = await one.begin({ orgId: 'acme', idpId: 'own' })
    const unreachable = { kind: 'ProviderUnreachable', reason: 'address' }
    expect(refused._unsafeUnwrapErr()).toEqual(unreachable)
    state.attack = {}
    expect((await through(one)).isOk()).toBe(true)
    const elsewhere = issuer.replace('127.0.0.1', 'localhost')
    await iam.identityProviders.patch({ idpId: 'own', issuer: elsewhere }, { caller })
    const begun = await one.begin({ orgId: 'acme', idpId: 'own' })
    expect(begun._unsafeUnwrapErr()).toEqual({ kind: 'IssuerMismatch' })
  })

  it('asks a provider that does not answer once, however many sign-ins begin', async () => {
    const { signIn } = await open()
    const one = signIn()
    const discovery = '/.well-known/openid-configuration'
    state.attack = { answers: { [discovery]: (response) => response.destroy() } }
    const begin = () => one.begin({ orgId: 'acme', idpId: 'own' })
    const answers = [...(await Promise.all(Array.from({ length: 250 }, begin)))]
    for (let n = 0; n < 250; n++) answers.push(await begin())
    const unreachable = { kind: 'ProviderUnreachable', reason: 'network' }
    expect(new Set(answers.map((each) => JSON.stringify(each._unsafeUnwrapErr())))).toEqual(
      new Set([JSON.stringify(unreachable)]),
    )
    expect(asked).toEqual([discovery])
    state.attack = {}
    // A test asks at once.
    expect((await one.test({ orgId: 'acme', idpId: 'own' })).isOk()).toBe(true)
    vi.advanceTimersByTime(5_000)
    expect((await begin()).isOk()).toBe(true)
  })

  it('uses a new client id and secret in every process at once', async () => {
    const { iam, signIn } = await open()
    const processes = [signIn(), signIn()]
    for (const each of processes) expect((await through(each)).isOk()).toBe(true)
    const given = { idpId: 'own', clientId: 'c2', clientSecret: 'second' }
    await iam.identityProviders.patch(given, { caller })
    state.attack = { claims: { aud: 'c2' } }
    for (const each of processes) expect((await through(each)).isOk()).toBe(true)
    state.attack = {}
    expect(asksOf('/.well-known')).toBe(2)
  })
})
