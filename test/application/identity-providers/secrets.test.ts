import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { afterAll, describe, expect, it } from 'vitest'
import { openSqlite } from '../../../src/adapters/sqlite/index.js'
import {
  aesGcmCipher,
  type EventStore,
  isIamError,
  memoryEventStore,
  type RecordedEvent,
  toJson,
  toStatus,
} from '../../../src/index.js'
import { OIDC_DEFAULTS } from '../../defaults.js'
import {
  addSamples,
  context,
  forgetfulCipher,
  good,
  iamOn,
  inGlobex,
  logOf,
  newCipher,
  oidc,
  oldCipher,
  refusal,
  secret,
  start,
} from '../host.js'
import { methods } from '../method/methods.js'

const google = { idpId: 'google' }
const config = { ...OIDC_DEFAULTS, ...google, clientId: 'c', issuer: 'i' }

const folder = mkdtempSync(join(tmpdir(), 'claviger-secrets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Every printed form of a value. */
const shownBy = (value: unknown): string =>
  [
    JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? String(item) : item)),
    inspect(value, { depth: Number.POSITIVE_INFINITY, showHidden: true }),
    JSON.stringify(toJson(value)),
    value instanceof Error ? `${value.stack}` : '',
    isIamError(value) ? JSON.stringify(toStatus(value)) : '',
  ].join('\n')

describe('A client secret in plain text', () => {
  it('appears only where it is revealed: in no answer, error, event or byte of the file', async () => {
    const canary = randomBytes(24).toString('base64url')
    const file = join(folder, 'iam.db')
    const { store, readModel, close } = openSqlite(file)
    const failing: EventStore = { ...store, append: () => Promise.reject(new Error('no append')) }
    const rotating = aesGcmCipher({
      current: 'k3',
      keys: { k1: new Uint8Array(32).fill(1), k3: new Uint8Array(32).fill(3) },
    })
    const first = iamOn(store, { readModel })
    const processes = [
      first,
      iamOn(failing, { readModel }),
      iamOn(store, { readModel, secrets: rotating }),
      iamOn(store, { readModel, secrets: forgetfulCipher }),
      iamOn(store, { readModel, authorize: () => Promise.reject(new Error('no answer')) }),
    ]
    const shown: string[] = []
    const secrets = [canary, `${canary}\0`, canary.padEnd(201, 'x'), [canary], { [canary]: canary }]
    const other = { ...oidc, clientSecret: canary }
    await good(first.identityProviders.addOidc(other, context))
    const revealed = await good(first.identityProviders.revealClientSecret(google, context))
    expect(revealed).toMatchObject({ clientSecret: canary })
    const { details } = await good(first.identityProviders.get(google, context))
    expect(revealed.details).toEqual(details)
    expect(Object.keys(toJson(revealed))).toEqual(['details'])
    for (const process of processes) {
      for (const { of, name, input } of methods) {
        if (/remove|revealClientSecret/.test(name)) continue
        for (const clientSecret of secrets)
          for (const more of [{}, { idempotencyKey: `key ${name}` }, { dryRun: true }]) {
            const answer = await of(process)({ ...input, clientSecret }, { ...context, ...more })
            shown.push(shownBy(answer), shownBy(answer.isOk() ? answer.value : answer.error))
          }
        shown.push(shownBy(await of(process)(input, context)))
      }
      shown.push(shownBy(process))
    }
    shown.push(shownBy(await logOf(store)))
    const leaks = shown.filter((text) => text.includes(canary))
    expect(leaks).toEqual([])
    const files = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'latin1'))
    expect(files.length).toBeGreaterThanOrEqual(2)
    expect(files.join().includes('client-1')).toBe(true)
    expect(files.join().includes(canary)).toBe(false)
    await close()
    expect(readFileSync(file, 'latin1').includes(canary)).toBe(false)
  })
})

describe('updateOidcConfig', () => {
  it.each([undefined, ''])('keeps the secret when it is %j', async (clientSecret) => {
    const { iam, store } = start()
    await addSamples(iam)
    const [added] = await store.readStream('identity_provider-acme+google')
    const updated = await good(
      iam.identityProviders.updateOidcConfig({ ...config, clientSecret }, context),
    )
    expect(updated.events[0]?.data).not.toHaveProperty('clientSecret')
    expect(added?.data).toHaveProperty('clientSecret')
    for (const process of [iam, iamOn(store)])
      expect(
        await good(process.identityProviders.revealClientSecret(google, context)),
      ).toMatchObject({
        clientSecret: secret,
      })
  })

  it('replaces the secret with a given one, and seals each anew', async () => {
    const { iam, store } = start()
    await addSamples(iam)
    const update = { ...config, clientSecret: ' \u0001😀 ' }
    await good(iam.identityProviders.updateOidcConfig(update, context))
    await good(iam.identityProviders.updateOidcConfig(update, context))
    for (const process of [iam, iamOn(store)])
      expect(
        await good(process.identityProviders.revealClientSecret(google, context)),
      ).toMatchObject({
        clientSecret: ' \u0001😀 ',
      })
    const seals = (await store.readStream('identity_provider-acme+google')).map(({ data }) =>
      Reflect.get(data, 'clientSecret'),
    )
    expect(new Set(seals).size).toBe(3)
  })
})

describe('revealClientSecret', () => {
  it('shows secrets from other processes, with any consistency', async () => {
    const { iam, store } = start()
    await addSamples(iam)
    const other = iamOn(store)
    const { revealClientSecret } = other.identityProviders
    const eventual = { ...context, consistency: 'eventual' } as const
    expect(await good(revealClientSecret(google, eventual))).toMatchObject({ clientSecret: secret })
    const update = { ...config, clientSecret: 'new' }
    await good(iam.identityProviders.updateOidcConfig(update, context))
    expect(await good(revealClientSecret(google, eventual))).toMatchObject({ clientSecret: 'new' })
    expect(await good(revealClientSecret(google, context))).toMatchObject({ clientSecret: 'new' })
    await good(iam.identityProviders.remove(google, context))
    expect(await refusal(revealClientSecret(google, eventual))).toMatchObject({ kind: 'NotFound' })
  })

  it('is refused when the key is not in the key ring', async () => {
    const { iam, store } = start()
    await addSamples(iam)
    const forgetful = iamOn(store, { secrets: forgetfulCipher })
    const error = await refusal(forgetful.identityProviders.revealClientSecret(google, context))
    expect(error).toEqual({ kind: 'SecretUnreadable', reason: 'unknown_key', keyId: 'k1' })
    expect(toStatus(error).code).toBe(13)
  })

  it('is unavailable while the cipher is', async () => {
    const { iam, store } = start()
    await addSamples(iam)
    const cause = new Error('no key server')
    const broken = {
      ...oldCipher,
      open: () => Promise.reject(cause),
      seal: () => Promise.reject(cause),
    }
    const { revealClientSecret, updateOidcConfig, addOidc } = iamOn(store, {
      secrets: broken,
    }).identityProviders
    const unavailable = { kind: 'Unavailable', outcome: 'not_recorded', cause }
    expect(await refusal(revealClientSecret(google, context))).toEqual(unavailable)
    const update = { ...config, clientSecret: 's' }
    expect(await refusal(updateOidcConfig(update, context))).toEqual(unavailable)
    expect(await refusal(addOidc({ ...oidc, idpId: 'new' }, context))).toEqual(unavailable)
    await good(updateOidcConfig(config, context))
  })
})

describe('A cipher with malformed answers', () => {
  const wrong: readonly ReturnType<typeof JSON.parse>[] = ['', 5, undefined, new Uint8Array(1)]

  it.each(wrong)(
    'is out of order, and nothing is recorded, where it seals to %j',
    async (sealed) => {
      const { iam, store } = start()
      await addSamples(iam)
      const before = await logOf(store)
      const secrets = { ...newCipher, seal: async () => sealed }
      const broken = iamOn(store, { secrets })
      const { addOidc, updateOidcConfig, resealSecrets } = broken.identityProviders
      const added = { ...oidc, idpId: 'new' }
      const unavailable = { kind: 'Unavailable', outcome: 'not_recorded' }
      for (const call of [
        addOidc(added, context),
        updateOidcConfig({ ...config, clientSecret: 's' }, context),
        resealSecrets(google, context),
        broken.plan({ identityProviders: [added] }, context),
        broken.apply({ identityProviders: [added] }, context),
      ])
        expect(await refusal(call)).toMatchObject(unavailable)
      expect(await logOf(store)).toEqual(before)
    },
  )

  it('is unavailable when it opens without a result', async () => {
    const { iam, store } = start()
    await addSamples(iam)
    const open = async (): Promise<ReturnType<typeof JSON.parse>> => undefined
    const { revealClientSecret } = iamOn(store, {
      secrets: { ...oldCipher, open },
    }).identityProviders
    expect(await refusal(revealClientSecret(google, context))).toMatchObject({
      kind: 'Unavailable',
      outcome: 'not_recorded',
    })
  })
})

describe('A seal', () => {
  /** A store with the samples of two organizations, whose first event is changed by `forge`. */
  const forged = async (forge: (log: readonly RecordedEvent[]) => object): Promise<EventStore> => {
    const { iam, store } = start()
    await addSamples(iam)
    await addSamples(iam, inGlobex)
    await good(
      iam.identityProviders.addOidc(
        { ...oidc, idpId: 'other', clientSecret: 'of the other' },
        context,
      ),
    )
    const log = await logOf(store)
    const copy = memoryEventStore()
    await copy.restore(
      log.map((event, index) =>
        index === 0 ? { ...event, data: { ...event.data, ...forge(log) } } : event,
      ),
    )
    return copy
  }

  const sealOf = (event: RecordedEvent | undefined) => ({
    clientSecret: Reflect.get(event?.data ?? {}, 'clientSecret'),
  })

  it.each([
    ['another provider of the organization', 6],
    ['the same provider of another organization', 3],
  ])('opens for no other: taken from %s', async (_, index) => {
    const store = await forged((log) => sealOf(log[index]))
    const iam = iamOn(store)
    const tampered = { kind: 'SecretUnreadable', reason: 'tampered', keyId: 'k1' }
    const { revealClientSecret, resealSecrets } = iam.identityProviders
    expect(await refusal(revealClientSecret(google, context))).toEqual(tampered)
    // Neither is it moved to where it would open.
    const rotated = iamOn(store, { secrets: newCipher })
    expect(await refusal(rotated.identityProviders.resealSecrets(google, context))).toEqual(
      tampered,
    )
    expect(await good(resealSecrets(google, context))).toMatchObject({ unchanged: ['google'] })
  })

  it.each([
    ['one letter', (sealed: string) => sealed.replace(/.{8}$/, 'AAAAAAAA')],
    ['its key id', (sealed: string) => sealed.replace('.k1.', '.k2.')],
    ['its end', (sealed: string) => sealed.slice(0, -4)],
  ])('does not open when changed in %s', async (_, change) => {
    const store = await forged((log) => ({
      clientSecret: change(String(sealOf(log[0]).clientSecret)),
    }))
    const { revealClientSecret } = iamOn(store, { secrets: newCipher }).identityProviders
    expect(await refusal(revealClientSecret(google, context))).toMatchObject({
      kind: 'SecretUnreadable',
      reason: 'tampered',
    })
  })
})
