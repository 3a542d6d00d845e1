import { aesGcmCipher, createIam, memoryEventStore, orThrow, permissionsFromCaller } from 'claviger'
import { openIdSignIn } from 'claviger/oidc'
import { afterAll, expect, it } from 'vitest'
import { realProvider, throughProvider } from './real-provider.js'

const redirectUri = 'http://localhost:1/callback'
const clientSecret = 'secret of more than 32 bytes for the client'
const real = await realProvider([
  { client_id: 'c1', client_secret: clientSecret, redirect_uris: [redirectUri] },
])
afterAll(() => real.close())

const iam = createIam({
  store: memoryEventStore(),
  secrets: aesGcmCipher({ current: 'k', keys: { k: new Uint8Array(32) } }),
  authorize: permissionsFromCaller,
})
const admin = {
  userId: 'admin',
  orgId: 'acme',
  permissions: [
    'setup_link.write',
    'identity_provider.read',
    'identity_provider.write',
    'identity_provider.secret.read',
    'membership.write',
  ],
} as const
const context = { caller: admin }

it('lets a draft of an open set-up link be tried, without signing anybody in', async () => {
  const known: string[] = []
  const signIn = openIdSignIn({
    iam,
    caller: admin,
    redirectUri,
    key: new Uint8Array(32),
    lookup: false,
    allowHttpLoopback: true,
    userIdOf: ({ subject }) => {
      known.push(subject)
      return subject
    },
  })
  const expiresAt = new Date(Date.now() + 60_000)
  const { token } = await orThrow(
    iam.setupLinks.issue({ expiresAt, intents: ['provider'] }, context),
  )
  const { caller, idpId } = await orThrow(iam.setupLinks.redeem({ token }))
  const provider = { name: 'P', clientId: 'c1', clientSecret, issuer: real.issuer, scopes: [] }
  await orThrow(iam.identityProviders.addOidc({ ...provider, idpId }, { caller }))
  const ids = { orgId: 'acme', idpId }

  const trySignIn = async () => {
    const { url, attempt } = (await signIn.begin(ids))._unsafeUnwrap()
    return signIn.finish({ url: await throughProvider(url, redirectUri), attempt })
  }
  const passed = async () => (await orThrow(iam.setupLinks.redeem({ token }))).passed
  expect((await trySignIn())._unsafeUnwrapErr()).toEqual({ kind: 'DraftSignedIn' })
  expect(known).toEqual([])
  const { details } = await orThrow(iam.identityProviders.get({ idpId }, context))
  expect(await passed()).toEqual({ sign_in: details.sequence })
  expect((await signIn.test(ids)).isOk()).toBe(true)
  expect(await passed()).toEqual({ sign_in: details.sequence, test: details.sequence })

  // A failed test counts for nothing.
  const broken = { idpId, issuer: `${real.issuer}/other`, clientSecret }
  await orThrow(iam.identityProviders.patch(broken, { caller }))
  expect((await signIn.test(ids)).isOk()).toBe(true)
  expect(await passed()).toEqual({ sign_in: details.sequence, test: details.sequence })
  expect((await iam.identityProviders.reactivate({ idpId }, { caller })).isErr()).toBe(true)

  // Without an open link, an inactive provider stays refused.
  await orThrow(iam.setupLinks.complete({ token }))
  expect((await signIn.begin(ids))._unsafeUnwrapErr()).toEqual({ kind: 'ProviderInactive' })
})
