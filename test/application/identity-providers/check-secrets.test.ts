import { beforeEach, describe, expect, it } from 'vitest'
import {
  aesGcmCipher,
  type EventStore,
  memoryEventStore,
  type RecordedEvent,
  verify,
} from '../../../src/index.js'
import {
  addSamples,
  context,
  forgetfulCipher,
  good,
  type Iam,
  iamOn,
  inGlobex,
  logOf,
  newCipher,
  oidc,
  start,
} from '../host.js'

let store: EventStore
let iam: Iam

beforeEach(async () => {
  const started = start()
  store = started.store
  iam = started.iam
  await addSamples(iam)
})

/** Why the secrets do not all open. */
const fault = async (secrets: ReturnType<typeof aesGcmCipher>, of: EventStore = store) =>
  (await iamOn(of, { secrets }).checkSecrets())._unsafeUnwrapErr()

/** Another key than that of `oldCipher` under the same id. */
const wrongCipher = aesGcmCipher({ current: 'k1', keys: { k1: new Uint8Array(32).fill(9) } })

describe('iam.checkSecrets', () => {
  it('opens the secret of every existing provider, in all organizations', async () => {
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'other' }, context))
    await addSamples(iam, inGlobex)
    expect((await iam.checkSecrets())._unsafeUnwrap()).toEqual({ checked: 3 })
  })

  it('decrypts nothing without a secret', async () => {
    const empty = iamOn(memoryEventStore())
    expect((await empty.checkSecrets())._unsafeUnwrap()).toEqual({ checked: 0 })
  })

  it.each([
    ['is not in the ring', forgetfulCipher, 'unknown_key'],
    ['is another one', wrongCipher, 'tampered'],
  ])('finds a key that %s, as verify does', async (_, secrets, reason) => {
    const [added] = await logOf(store)
    const expected = {
      kind: 'SealBroken',
      position: added?.position,
      stream: 'identity_provider-acme+google',
      cause: { kind: 'SecretUnreadable', reason, keyId: 'k1' },
    }
    expect(await fault(secrets)).toEqual(expected)
    expect((await verify(store, { secrets }))._unsafeUnwrapErr()).toEqual(expected)
  })

  it('needs no key of a secret that was resealed, replaced or removed', async () => {
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'replaced' }, context))
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'removed' }, context))
    await good(iam.identityProviders.remove({ idpId: 'removed' }, context))
    const rotating = iamOn(store, { secrets: newCipher })
    await good(rotating.identityProviders.resealSecrets({ idpId: 'google' }, context))
    const { name: _, scopes: __, ...config } = { ...oidc, idpId: 'replaced' }
    await good(rotating.identityProviders.patch(config, context))
    const after = iamOn(store, { secrets: forgetfulCipher })
    expect((await after.checkSecrets())._unsafeUnwrap()).toEqual({ checked: 2 })
  })

  it('opens the secret from before an update without one', async () => {
    const { name: _, clientSecret: __, ...config } = oidc
    await good(iam.identityProviders.patch(config, context))
    expect(await fault(forgetfulCipher)).toMatchObject({ kind: 'SealBroken' })
  })

  it('reads many pages', async () => {
    for (const from of [0, 1_000]) {
      const roles = Array.from({ length: 1_000 }, (_, n) => ({
        roleKey: `${from + n}`,
        displayName: 'd',
      }))
      await good(iam.projectRoles.addMany({ projectId: 'portal', roles }, context))
    }
    await good(iam.identityProviders.addOidc({ ...oidc, idpId: 'last' }, context))
    expect((await iam.checkSecrets())._unsafeUnwrap()).toEqual({ checked: 2 })
  })

  it('is unavailable while the store or the cipher is', async () => {
    const cause = new Error('away')
    const away = () => Promise.reject(cause)
    const unavailable = { kind: 'Unavailable', outcome: 'not_recorded', cause }
    expect(await fault(newCipher, { ...store, readAll: away })).toEqual(unavailable)
    expect(await fault({ ...newCipher, open: away })).toEqual(unavailable)
  })

  it('stops at an event of a provider that cannot be read', async () => {
    const log = await logOf(store)
    const [added] = log as [RecordedEvent]
    const copy = memoryEventStore()
    await copy.restore([{ ...added, schemaVersion: 9 }])
    expect(await fault(newCipher, copy)).toMatchObject({ kind: 'UnknownEvent' })
  })

  it('is cancelled, even while the store or the cipher does not answer', async () => {
    const silent = () => new Promise<never>(() => undefined)
    const cancelled = { kind: 'Cancelled' }
    for (const process of [
      iamOn({ ...store, readAll: silent }),
      iamOn(store, { secrets: { ...newCipher, open: silent } }),
    ]) {
      const controller = new AbortController()
      const checking = process.checkSecrets({ signal: controller.signal })
      await new Promise((resolve) => setImmediate(resolve))
      controller.abort()
      expect((await checking)._unsafeUnwrapErr()).toEqual(cancelled)
    }
    const signal = AbortSignal.abort()
    expect((await iam.checkSecrets({ signal }))._unsafeUnwrapErr()).toEqual(cancelled)
  })
})
