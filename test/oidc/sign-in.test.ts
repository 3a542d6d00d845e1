import { inspect } from 'node:util'
import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { openIdSignIn, type SignInOptions } from 'claviger/oidc'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { realProvider, throughProvider } from './real-provider.js'

const redirectUri = 'http://localhost:1/callback'
const secret = 'canary-S3cret'
const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
  authorize: () => true,
})
const caller = { userId: 'sign-in', orgId: 'acme' }

const key = new Uint8Array(32)
const signIn = (otherKey = key, uri = redirectUri) =>
  openIdSignIn({
    iam,
    caller,
    redirectUri: uri,
    key: otherKey,
    lookup: false,
    allowHttpLoopback: true,
  })

const client = { client_id: 'c1', client_secret: secret, redirect_uris: [redirectUri] }
const { issuer, close } = await realProvider([client])
const idp = { idpId: 'own', name: 'Own', clientId: 'c1', issuer, scopes: ['email'] }
await iam.identityProviders.addOidc({ ...idp, clientSecret: secret }, { caller })
afterAll(close)

describe('Signing in with oidc-provider', () => {
  const begun = async () =>
    (await signIn().begin({ orgId: 'acme', idpId: 'own', returnTo: '/x' }))._unsafeUnwrap()

  it('answers who the user is, and takes no code twice', async () => {
    const { url, attempt } = await begun()
    const back = await throughProvider(url, redirectUri)
    const user = (await signIn().finish({ url: back, attempt }))._unsafeUnwrap()
    const email = 'ann@acme.test'
    expect(user).toMatchObject({ issuer, subject: 'ann', username: email, returnTo: '/x' })
    expect(user).toMatchObject({ email, emailVerified: true, mayAutoRegister: false })
    const { accessToken, idToken } = user.tokens
    const shown =
      inspect(user, { depth: 9, showHidden: true, getters: true }) + JSON.stringify(user)
    for (const hidden of [accessToken, idToken, secret]) expect(shown).not.toContain(hidden)
    const again = await signIn().finish({ url: back, attempt })
    expect(again._unsafeUnwrapErr()).toEqual({ kind: 'ProviderError', error: 'invalid_grant' })
  })

  it('refuses what does not belong to the attempt', async () => {
    const { attempt } = await begun()
    const url = `/callback?code=c&state=other&iss=${encodeURIComponent(issuer)}`
    const refusal = async (answer: ReturnType<ReturnType<typeof signIn>['finish']>) =>
      (await answer)._unsafeUnwrapErr().kind
    expect(await refusal(signIn().finish({ url, attempt }))).toBe('StateMismatch')
    const elsewhere = url.replace('iss=', 'iss=x')
    expect(await refusal(signIn().finish({ url: elsewhere, attempt }))).toBe('IssuerMismatch')
    expect(await refusal(signIn().finish({ url, attempt: `${attempt}A` }))).toBe('AttemptTampered')
    const otherKey = signIn(new Uint8Array(32).fill(1))
    expect(await refusal(otherKey.finish({ url, attempt }))).toBe('AttemptTampered')
    const otherUri = signIn(new Uint8Array(32), `${redirectUri}/2`)
    expect(await refusal(otherUri.finish({ url, attempt }))).toBe('AttemptMismatch')
    expect(await refusal(signIn().finish({ url, attempt, idpId: 'b' }))).toBe('AttemptMismatch')
  })

  it('answers the user of the host, and what a project lets them do', async () => {
    await iam.projects.add({ id: 'p1', name: 'P' }, { caller })
    await iam.projectRoles.add({ projectId: 'p1', roleKey: 'admin', displayName: 'A' }, { caller })
    await iam.userGrants.add(
      { userId: 'u1', projectId: 'p1', roles: [{ roleKey: 'admin' }] },
      { caller },
    )
    const known = (userIdOf: SignInOptions['userIdOf']) =>
      openIdSignIn({
        iam,
        caller,
        redirectUri,
        key,
        lookup: false,
        allowHttpLoopback: true,
        userIdOf,
      })
    const finished = async (userIdOf: SignInOptions['userIdOf']) => {
      const input = { orgId: 'acme', idpId: 'own', projectId: 'p1' }
      const { url, attempt } = (await known(userIdOf).begin(input))._unsafeUnwrap()
      return known(userIdOf).finish({ url: await throughProvider(url, redirectUri), attempt })
    }
    const user = (
      await finished(async ({ subject }) => (subject === 'ann' ? 'u1' : 'u2'))
    )._unsafeUnwrap()
    const access = (
      await iam.access.check({ userId: 'u1', projectId: 'p1' }, { caller })
    )._unsafeUnwrap()
    expect(user).toMatchObject({ userId: 'u1', access })
    expect(JSON.stringify(access)).toContain('admin')
    const unknown = (await finished(() => undefined))._unsafeUnwrap()
    expect(unknown).not.toHaveProperty('access')
    const cause = new Error('down')
    const failed = await finished(() => Promise.reject(cause))
    const unavailable = { kind: 'Unavailable', outcome: 'not_recorded', cause }
    expect(failed._unsafeUnwrapErr()).toEqual(unavailable)
  })

  it('tests a provider, and whether it takes the secret', async () => {
    const verdicts = async () => {
      const { checks } = (await signIn().test({ orgId: 'acme', idpId: 'own' }))._unsafeUnwrap()
      return Object.fromEntries(checks.map(({ name, verdict }) => [name, verdict]))
    }
    const fine = { discovery: 'ok', issuer: 'ok', endpoints: 'ok', pkce: 'ok' }
    const all = { ...fine, scopes: 'ok', signing_algorithms: 'ok', keys: 'ok', secret: 'ok' }
    expect(await verdicts()).toEqual(all)
    await iam.identityProviders.patch({ idpId: 'own', clientSecret: 'wrong' }, { caller })
    expect(await verdicts()).toEqual({ ...all, secret: 'failed' })
    await iam.identityProviders.patch({ idpId: 'own', clientSecret: secret }, { caller })
  })

  it('refuses an attempt of more than ten minutes', async () => {
    const { attempt } = await begun()
    const kind = async () =>
      (await signIn().finish({ url: '/callback?state=x', attempt }))._unsafeUnwrapErr().kind
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 599_000 })
    expect(await kind()).toBe('IssuerMismatch')
    vi.advanceTimersByTime(2_000)
    expect(await kind()).toBe('AttemptExpired')
    vi.useRealTimers()
  })

  it('refuses an attempt of an older configuration, except for a new name', async () => {
    const { attempt } = await begun()
    await iam.identityProviders.patch({ idpId: 'own', name: 'Renamed' }, { caller })
    const denied = '/callback?error=access_denied&state='
    const kind = async () =>
      (await signIn().finish({ url: denied, attempt }))._unsafeUnwrapErr().kind
    expect(await kind()).toBe('IssuerMismatch')
    await iam.identityProviders.patch({ idpId: 'own', autoRegister: true }, { caller })
    expect(await kind()).toBe('IssuerMismatch')
    await iam.identityProviders.resealSecrets({}, { caller })
    expect(await kind()).toBe('IssuerMismatch')
    for (const [change, back] of [
      [{ clientSecret: 'other' }, { clientSecret: secret }],
      [{ clientId: 'c2' }, { clientId: 'c1' }],
      [{ issuer: `${issuer}/x` }, { issuer }],
      [{ scopes: ['phone'] }, { scopes: ['email'] }],
      [
        { usernameMapping: 'OIDC_MAPPING_FIELD_EMAIL' },
        { usernameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED' },
      ],
      [
        { displayNameMapping: 'OIDC_MAPPING_FIELD_EMAIL' },
        { displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED' },
      ],
    ] as const) {
      await iam.identityProviders.patch({ idpId: 'own', ...change }, { caller })
      expect(await kind()).toBe('ProviderChanged')
      await iam.identityProviders.patch({ idpId: 'own', ...back }, { caller })
      expect(await kind()).toBe('IssuerMismatch')
    }
    await iam.identityProviders.deactivate({ idpId: 'own' }, { caller })
    expect(await kind()).toBe('ProviderInactive')
    await iam.identityProviders.remove({ idpId: 'own' }, { caller })
    expect(await kind()).toBe('ProviderRemoved')
  })
})
