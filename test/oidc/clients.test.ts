import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { openIdSignIn } from 'claviger/oidc'
import type { ClientMetadata } from 'oidc-provider'
import { afterAll, describe, expect, it } from 'vitest'
import { realProvider, throughProvider } from './real-provider.js'

const redirectUri = 'http://localhost:1/callback'
const client = (id: string, more: Partial<ClientMetadata> = {}): ClientMetadata => ({
  client_id: id,
  client_secret: `secret of ${id}, of more than 32 bytes`,
  redirect_uris: [redirectUri],
  ...more,
})
const clients = [
  client('basic', { token_endpoint_auth_method: 'client_secret_basic' }),
  client('signed', { userinfo_signed_response_alg: 'RS256' }),
  client('encrypted', {
    userinfo_signed_response_alg: 'RS256',
    userinfo_encrypted_response_alg: 'dir',
  }),
  client('offline', { grant_types: ['authorization_code', 'refresh_token'] }),
]
const features = {
  jwtUserinfo: { enabled: true },
  encryption: { enabled: true },
}
const both = await realProvider(clients, { features })
const postOnly = await realProvider(
  [client('post', { token_endpoint_auth_method: 'client_secret_post' })],
  { clientAuthMethods: ['client_secret_post'] },
)
afterAll(() => {
  both.close()
  postOnly.close()
})

const caller = { userId: 'sign-in', orgId: 'acme' }
const texts = new Map<string, string>()
const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
  authorize: () => true,
  domains: {
    isPublicSuffix: () => false,
    resolveTxt: async (name) => [[texts.get(name) ?? '']],
  },
})
const add = (id: string, issuer: string) =>
  iam.identityProviders.addOidc(
    {
      idpId: id,
      name: id,
      issuer,
      clientId: id,
      clientSecret: `secret of ${id}, of more than 32 bytes`,
      scopes: id === 'offline' ? ['email', 'offline_access'] : ['email'],
    },
    { caller },
  )
for (const { client_id } of clients) await add(client_id, both.issuer)
await add('post', postOnly.issuer)

const signIn = () =>
  openIdSignIn({
    iam,
    caller: (orgId) => ({ ...caller, orgId }),
    redirectUri,
    key: new Uint8Array(32),
    lookup: false,
    allowHttpLoopback: true,
  })

const signedIn = async (idpId: string, prompt?: string) => {
  const input = { orgId: 'acme', idpId, ...(prompt !== undefined && { prompt }) }
  const { url, attempt } = (await signIn().begin(input))._unsafeUnwrap()
  return signIn().finish({ url: await throughProvider(url, redirectUri), attempt })
}

describe('A client of oidc-provider', () => {
  it.each(['basic', 'post', 'signed'])('signs users in: %s', async (idpId) => {
    const user = (await signedIn(idpId))._unsafeUnwrap()
    expect(user).toMatchObject({ idpId, subject: 'ann', email: 'ann@acme.test' })
    expect(user.tokens.refreshToken).toBeUndefined()
  })

  it('whose user info is encrypted has what the ID token says: a provider has no key of ours', async () => {
    const user = (await signedIn('encrypted'))._unsafeUnwrap()
    expect(user.subject).toBe('ann')
    expect(user).not.toHaveProperty('email')
  })

  it('is handed its refresh token', async () => {
    const { tokens } = (await signedIn('offline', 'consent'))._unsafeUnwrap()
    expect(tokens.refreshToken).toMatch(/^[\w-]{20,}$/)
  })

  it('is found by the address of the user, once the domain is verified', async () => {
    const email = 'ann@acme.example'
    const unknown = { kind: 'NoProviderForEmail' }
    expect((await signIn().begin({ email }))._unsafeUnwrapErr()).toEqual(unknown)
    const domain = 'acme.example'
    const { challenge } = (await iam.domains.add({ domain }, { caller }))._unsafeUnwrap()
    await iam.domains.setProvider({ domain, idpId: 'basic' }, { caller })
    expect((await signIn().begin({ email }))._unsafeUnwrapErr()).toEqual(unknown)
    texts.set(`_claviger-challenge.${domain}`, challenge ?? '')
    ;(await iam.domains.verify({ domain }, { caller }))._unsafeUnwrap()
    const { url, attempt } = (await signIn().begin({ email }))._unsafeUnwrap()
    expect(new URL(url).searchParams.get('login_hint')).toBe(email)
    const back = await throughProvider(url, redirectUri)
    const user = (await signIn().finish({ url: back, attempt }))._unsafeUnwrap()
    expect(user).toMatchObject({ orgId: 'acme', idpId: 'basic', subject: 'ann' })
  })

  it('owns an address when its domain is set to this provider, and the address is verified', async () => {
    const domain = 'acme.test'
    const owned = async (idpId: string) => (await signedIn(idpId))._unsafeUnwrap().emailIsOwn
    expect(await owned('basic')).toBe(false)
    const { challenge } = (await iam.domains.add({ domain }, { caller }))._unsafeUnwrap()
    texts.set(`_claviger-challenge.${domain}`, challenge ?? '')
    ;(await iam.domains.verify({ domain }, { caller }))._unsafeUnwrap()
    expect(await owned('basic')).toBe(false)
    await iam.domains.setProvider({ domain, idpId: 'basic' }, { caller })
    expect(await owned('basic')).toBe(true)
    // Another provider of the organization may claim any address.
    expect(await owned('post')).toBe(false)
    await iam.domains.setProvider({ domain, idpId: 'post' }, { caller })
    expect([await owned('basic'), await owned('post')]).toEqual([false, true])
  })

  it('takes no attempt of another organization', async () => {
    const { url, attempt } = (
      await signIn().begin({ orgId: 'acme', idpId: 'basic' })
    )._unsafeUnwrap()
    const back = await throughProvider(url, redirectUri)
    const finished = await signIn().finish({ url: back, attempt, orgId: 'globex' })
    const refusal = { kind: 'AttemptMismatch', field: 'orgId' }
    expect(finished._unsafeUnwrapErr()).toEqual(refusal)
  })
})
