import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { openIdSignIn } from 'claviger/oidc'
import type { ServerMetadata } from 'openid-client'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { discoveryCache } from '../../src/oidc/provider/discovery-cache.js'
import { hostileProvider } from './hostile-provider.js'

beforeEach(() => vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => {
  vi.useRealTimers()
})

const metadata = (issuer: string, more = ''): ServerMetadata => ({ issuer, more })

describe('What is kept of discoveries', () => {
  it('is used for five minutes', () => {
    const cache = discoveryCache()
    cache.keep('a', metadata('a'))
    vi.advanceTimersByTime(299_999)
    expect(cache.find('a')).toEqual(metadata('a'))
    vi.advanceTimersByTime(1)
    expect(cache.find('a')).toBeUndefined()
  })

  it('is of 100 issuers, the latest', () => {
    const cache = discoveryCache()
    for (let n = 0; n <= 100; n++) cache.keep(`${n}`, metadata(`${n}`))
    expect(cache.find('0')).toBeUndefined()
    expect(cache.find('1')).toBeDefined()
    expect(cache.find('100')).toBeDefined()
  })

  it('is of 4 MiB, and of one issuer once', () => {
    const cache = discoveryCache()
    const large = 'x'.repeat(500_000)
    for (let n = 0; n < 100; n++) cache.keep('same', metadata('same', large))
    for (let n = 0; n < 7; n++) cache.keep(`${n}`, metadata(`${n}`, large))
    expect(cache.find('same')).toBeDefined()
    cache.keep('last', metadata('last', large))
    expect(cache.find('same')).toBeUndefined()
    expect(cache.find('0')).toBeDefined()
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

  it('asks for the discovery once, and for the keys and the user info each time', async () => {
    const { signIn } = await open()
    const one = signIn()
    for (let n = 0; n < 3; n++) expect((await through(one)).isOk()).toBe(true)
    expect([asksOf('/.well-known'), asksOf('/jwks'), asksOf('/info')]).toEqual([1, 3, 3])
    expect((await one.test({ orgId: 'acme', idpId: 'own' })).isOk()).toBe(true)
    expect(asksOf('/.well-known')).toBe(2)
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

  it('goes by a new client id and secret in every process at once', async () => {
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
