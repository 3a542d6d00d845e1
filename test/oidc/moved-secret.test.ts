import { aesGcmCipher, createIam, memoryEventStore } from 'claviger'
import { openIdSignIn } from 'claviger/oidc'
import { fetchHandler } from 'claviger/transport'
import { afterAll, describe, expect, it } from 'vitest'
import { hostileProvider } from './hostile-provider.js'

const [acme, evil] = [await hostileProvider(), await hostileProvider()]
afterAll(() => {
  acme.close()
  evil.close()
})

const caller = { userId: 'u1', orgId: 'acme' }
const provider = { orgId: 'acme', idpId: 'sso' }
const refusal = { kind: 'SecretForOtherIssuer' }

const open = async (issuer = acme.issuer) => {
  const iam = createIam({
    store: memoryEventStore(),
    secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
    authorize: () => true,
  })
  const { addOidc, patch, revealClientSecret } = iam.identityProviders
  const idp = { idpId: 'sso', name: 'SSO', clientId: 'c1', clientSecret: 'hush', scopes: ['email'] }
  ;(await addOidc({ ...idp, issuer }, { caller }))._unsafeUnwrap()
  /** What was sent, and where to. */
  const sent: string[] = []
  const signIn = openIdSignIn({
    iam,
    caller,
    redirectUri: 'https://host.test/callback',
    key: new Uint8Array(32),
    lookup: false,
    allowHttpLoopback: true,
    fetch: (url, init) => {
      sent.push(`${url} ${JSON.stringify([...new Headers(init?.headers)])} ${init?.body}`)
      return fetch(url, init)
    },
  })
  const begins = async () =>
    (await signIn.begin(provider)).match(
      () => 'ok',
      ({ kind }) => kind,
    )
  const tests = async () =>
    (await signIn.test(provider)).match(
      () => 'ok',
      ({ kind }) => kind,
    )
  return {
    iam,
    signIn,
    sent,
    begins,
    tests,
    patch: (change: object) => patch({ idpId: 'sso', ...change }, { caller }),
    revealed: async () => (await revealClientSecret({ idpId: 'sso' }, { caller }))._unsafeUnwrap(),
  }
}

const asBasic = (secret: string) => btoa(`c1:${secret}`)

describe('A client secret', () => {
  it('is not sent to an issuer of another origin until it is given again', async () => {
    const { patch, begins, tests, sent, revealed, signIn } = await open()
    expect([await begins(), await tests()]).toEqual(['ok', 'ok'])
    expect(await revealed()).not.toHaveProperty('givenFor')
    await patch({ issuer: evil.issuer })
    sent.length = 0
    expect((await signIn.begin(provider))._unsafeUnwrapErr()).toEqual(refusal)
    expect((await signIn.test(provider))._unsafeUnwrapErr()).toEqual(refusal)
    expect(sent.join()).not.toContain(asBasic('hush'))
    expect(await revealed()).toMatchObject({ clientSecret: 'hush', givenFor: acme.issuer })

    await patch({ clientSecret: 'new' })
    expect([await begins(), await tests()]).toEqual(['ok', 'ok'])
    expect(sent.join()).toContain(asBasic('new'))
    expect(sent.join()).not.toContain(asBasic('hush'))
  })

  it('is used again when the issuer is back, and beside a change of anything else', async () => {
    const { iam, patch, begins } = await open()
    await patch({ issuer: evil.issuer })
    await patch({ issuer: acme.issuer, name: 'Renamed', clientId: 'c2' })
    expect(await begins()).toBe('ok')
    await iam.identityProviders.resealSecrets({}, { caller })
    await iam.identityProviders.deactivate({ idpId: 'sso' }, { caller })
    await iam.identityProviders.reactivate({ idpId: 'sso' }, { caller })
    expect(await begins()).toBe('ok')
  })

  it('is not moved by a reseal, and not by an update that leaves it out', async () => {
    const store = memoryEventStore()
    const cipher = (current: string) =>
      aesGcmCipher({ current, keys: { a: new Uint8Array(32), b: new Uint8Array(32).fill(1) } })
    const before = createIam({ store, secrets: cipher('a'), authorize: () => true })
    const after = createIam({ store, secrets: cipher('b'), authorize: () => true })
    const idp = { idpId: 'sso', clientId: 'c1', issuer: acme.issuer }
    await before.identityProviders.addOidc(
      { ...idp, name: 'SSO', clientSecret: 'hush' },
      { caller },
    )
    const moved = { ...idp, issuer: evil.issuer, scopes: [] }
    const mappings = {
      displayNameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
      usernameMapping: 'OIDC_MAPPING_FIELD_UNSPECIFIED',
    } as const
    const updated = { ...moved, ...mappings, clientSecret: '' }
    ;(await before.identityProviders.updateOidcConfig(updated, { caller }))._unsafeUnwrap()
    const resealed = await after.identityProviders.resealSecrets({}, { caller })
    expect(resealed._unsafeUnwrap().resealed).toEqual(['sso'])
    const revealed = await after.identityProviders.revealClientSecret({ idpId: 'sso' }, { caller })
    expect(revealed._unsafeUnwrap()).toMatchObject({ givenFor: acme.issuer })
  })

  it('that was given without an issuer is for none', async () => {
    const { patch, begins, revealed } = await open('')
    await patch({ issuer: acme.issuer })
    expect(await begins()).toBe('SecretForOtherIssuer')
    expect(await revealed()).toMatchObject({ givenFor: '' })
    await patch({ clientSecret: 'hush' })
    expect(await begins()).toBe('ok')
  })

  it('is given again by a desired state that declares it beside another issuer', async () => {
    const { iam, begins } = await open()
    const declared = {
      identityProviders: [
        { idpId: 'sso', issuer: evil.issuer, clientId: 'c1', clientSecret: 'hush', name: 'SSO' },
      ],
    }
    const plan = (await iam.plan(declared, { caller }))._unsafeUnwrap()
    const field = { field: 'clientSecret', secret: 'changed' }
    expect(plan.changes[0]?.fields).toContainEqual(field)
    ;(await iam.apply(plan, { caller }))._unsafeUnwrap()
    expect(await begins()).toBe('ok')
    const again = (await iam.plan(declared, { caller }))._unsafeUnwrap()
    expect(again.counts).toMatchObject({ update: 0, unchanged: 1 })
  })

  it('for another issuer is a failed check on the network', async () => {
    const { iam, signIn, patch } = await open()
    await patch({ issuer: evil.issuer })
    const handler = fetchHandler(iam, {
      authenticate: () => caller,
      testIdentityProvider: signIn.test,
    })
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }
    const answer = await handler(new Request('https://host.test/v1/idps/sso:test', init))
    expect(answer.status).toBe(200)
    const failed = { name: 'secret', verdict: 'failed' }
    expect(await answer.json()).toMatchObject({ checks: [failed] })
  })
})
