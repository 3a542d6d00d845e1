import { beforeEach, describe, expect, it, vi } from 'vitest'
import type { EventStore, ResealProgress } from '../../../src/index.js'
import { OIDC_DEFAULTS } from '../../defaults.js'
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
  refusal,
  start,
  withAppend,
} from '../host.js'

let store: EventStore
let old: Iam
let rotated: Iam

const ids = ['a', 'b', 'c']

beforeEach(async () => {
  const started = start()
  store = started.store
  old = started.iam
  rotated = iamOn(store, { secrets: newCipher })
  for (const idpId of ids)
    await good(
      old.identityProviders.addOidc({ ...oidc, idpId, clientSecret: `of ${idpId}` }, context),
    )
  await addSamples(old, inGlobex)
})

/** The secret as it opens with nothing but the new key. */
const revealed = async (idpId: string) => {
  const { identityProviders } = iamOn(store, { secrets: forgetfulCipher })
  return (await good(identityProviders.revealClientSecret({ idpId }, context))).clientSecret
}

it('seals every secret of the organization with the current key, one append each', async () => {
  const progress: ResealProgress[] = []
  const report = await good(
    rotated.identityProviders.resealSecrets(
      {},
      { ...context, onProgress: (step) => progress.push(step) },
    ),
  )
  expect(report).toEqual({ resealed: ids, unchanged: [], failed: [] })
  expect(progress).toEqual([1, 2, 3].map((done) => ({ done, total: 3 })))
  const resealed = (await logOf(store)).slice(-3)
  expect(resealed.map(({ type }) => type)).toEqual(
    ids.map(() => 'identity_provider.secret_resealed'),
  )
  expect(new Set(resealed.map(({ appendId }) => appendId)).size).toBe(3)
  expect(resealed[0]?.metadata).toEqual({
    actor: { userId: 'alice', orgId: 'acme' },
    resourceOwner: 'acme',
  })
  for (const idpId of ids) expect(await revealed(idpId)).toBe(`of ${idpId}`)
})

it('finds every provider that was added before, with any consistency', async () => {
  const late = { ...context, consistency: 'eventual' } as const
  const report = await good(rotated.identityProviders.resealSecrets({}, late))
  expect(report).toMatchObject({ resealed: ids })
})

it('reseals nothing a second time, and nothing of another organization', async () => {
  await good(rotated.identityProviders.resealSecrets({}, context))
  const log = await logOf(store)
  const again = { resealed: [], unchanged: ids, failed: [] }
  expect(await good(rotated.identityProviders.resealSecrets({}, context))).toEqual(again)
  expect(await logOf(store)).toEqual(log)
  expect(await good(rotated.identityProviders.resealSecrets({}, inGlobex))).toEqual({
    resealed: ['google'],
    unchanged: [],
    failed: [],
  })
})

it('reseals a single one, active or inactive', async () => {
  await good(old.identityProviders.deactivate({ idpId: 'b' }, context))
  const { resealSecrets, get } = rotated.identityProviders
  expect(await good(resealSecrets({ idpId: 'b' }, context))).toEqual({
    resealed: ['b'],
    unchanged: [],
    failed: [],
  })
  expect(await revealed('b')).toBe('of b')
  expect(await good(get({ idpId: 'b' }, context))).toMatchObject({ state: 'inactive' })
  expect(await good(resealSecrets({ idpId: 'b' }, context))).toEqual({
    resealed: [],
    unchanged: ['b'],
    failed: [],
  })
  expect(await good(resealSecrets({}, context))).toMatchObject({
    resealed: ['a', 'c'],
    unchanged: ['b'],
  })
})

it('reports a secret that cannot be opened, and continues with the others', async () => {
  await good(rotated.identityProviders.resealSecrets({ idpId: 'b' }, context))
  const forgetful = iamOn(store, { secrets: forgetfulCipher })
  const error = { kind: 'SecretUnreadable', reason: 'unknown_key', keyId: 'k1' }
  expect(await good(forgetful.identityProviders.resealSecrets({}, context))).toEqual({
    resealed: [],
    unchanged: ['b'],
    failed: [
      { idpId: 'a', error },
      { idpId: 'c', error },
    ],
  })
  expect(await refusal(forgetful.identityProviders.resealSecrets({ idpId: 'a' }, context))).toEqual(
    error,
  )
})

it('reports a cipher that cannot tell which key was used, and continues with the others', async () => {
  const cause = new Error('no key server')
  let calls = 0
  const isCurrent = () => {
    if (++calls > 1) return false
    throw cause
  }
  const { resealSecrets } = iamOn(store, { secrets: { ...newCipher, isCurrent } }).identityProviders
  expect(await good(resealSecrets({}, context))).toEqual({
    resealed: ['b', 'c'],
    unchanged: [],
    failed: [{ idpId: 'a', error: { kind: 'Unavailable', outcome: 'not_recorded', cause } }],
  })
})

it('does not change removed providers, and does not find missing ones', async () => {
  await good(old.identityProviders.remove({ idpId: 'b' }, context))
  for (const idpId of ['b', 'absent'])
    expect(await refusal(rotated.identityProviders.resealSecrets({ idpId }, context))).toEqual({
      kind: 'NotFound',
      object: { type: 'identity_provider', idpId },
    })
  expect(await good(rotated.identityProviders.resealSecrets({}, context))).toEqual({
    resealed: ['a', 'c'],
    unchanged: [],
    failed: [],
  })
})

describe('A secret that is replaced during the call', () => {
  /** Replaces the secret of `a` right before each of the first `times` seals that move it. */
  const replacing = (times: number, by: Iam): Iam => {
    let replaced = 0
    return iamOn(store, {
      secrets: {
        ...newCipher,
        seal: async (secret, owner) => {
          if (owner.idpId === 'a' && replaced++ < times) {
            const update = {
              ...OIDC_DEFAULTS,
              idpId: 'a',
              clientId: 'c',
              issuer: 'i',
              clientSecret: `${replaced}`,
            }
            await good(by.identityProviders.updateOidcConfig(update, context))
          }
          return newCipher.seal(secret, owner)
        },
      },
    })
  }

  it('is kept, and resealed when it has the old key', async () => {
    const { resealSecrets } = replacing(2, old).identityProviders
    expect(await good(resealSecrets({}, context))).toMatchObject({ resealed: ids })
    expect(await revealed('a')).toBe('2')
  })

  it('is kept, and not resealed when it has the new key', async () => {
    const { resealSecrets } = replacing(1, rotated).identityProviders
    expect(await good(resealSecrets({}, context))).toMatchObject({
      resealed: ['b', 'c'],
      unchanged: ['a'],
    })
    expect(await revealed('a')).toBe('1')
  })

  it('is resealed at the tenth time', async () => {
    const { resealSecrets } = replacing(9, old).identityProviders
    expect(await good(resealSecrets({}, context))).toMatchObject({ resealed: ids })
    expect(await revealed('a')).toBe('9')
  })

  it('again and again is reported after ten seconds, and the others continue', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] })
    const { resealSecrets } = replacing(Number.POSITIVE_INFINITY, old).identityProviders
    const settled = vi.fn()
    const resealing = good(resealSecrets({}, context))
    void resealing.then(settled)
    while (settled.mock.calls.length === 0) await vi.advanceTimersByTimeAsync(10)
    vi.useRealTimers()
    expect(await resealing).toMatchObject({
      resealed: ['b', 'c'],
      unchanged: [],
      failed: [{ idpId: 'a', error: { kind: 'Aborted' } }],
    })
  })
})

it('ends between two providers when it is aborted', async () => {
  const controller = new AbortController()
  const aborting = {
    ...context,
    signal: controller.signal,
    onProgress: () => controller.abort(),
  }
  expect(await refusal(rotated.identityProviders.resealSecrets({}, aborting))).toEqual({
    kind: 'Cancelled',
  })
  expect((await logOf(store)).filter(({ type }) => type.endsWith('resealed'))).toHaveLength(1)
  expect(await good(rotated.identityProviders.resealSecrets({}, context))).toEqual({
    resealed: ['b', 'c'],
    unchanged: ['a'],
    failed: [],
  })
})

it('ends at its last provider too when it is aborted there', async () => {
  const controller = new AbortController()
  const open: typeof newCipher.open = (sealed, owner) => {
    if (owner.idpId === 'c') controller.abort()
    return newCipher.open(sealed, owner)
  }
  const { resealSecrets } = iamOn(store, { secrets: { ...newCipher, open } }).identityProviders
  const aborting = { ...context, signal: controller.signal }
  expect(await refusal(resealSecrets({}, aborting))).toEqual({ kind: 'Cancelled' })
  expect((await logOf(store)).filter(({ type }) => type.endsWith('resealed'))).toHaveLength(2)
})

it('waits for an append that was sent before it was aborted', async () => {
  const controller = new AbortController()
  const aborting = withAppend(store, async (append, send) => {
    controller.abort()
    return send(append)
  })
  const { resealSecrets } = iamOn(aborting, { secrets: newCipher }).identityProviders
  const report = await good(
    resealSecrets({ idpId: 'c' }, { ...context, signal: controller.signal }),
  )
  expect(report.resealed).toEqual(['c'])
})

it('reseals more providers than one page of a list holds', async () => {
  const many = Array.from({ length: 1001 }, (_, n) => `many-${String(n).padStart(4, '0')}`)
  for (const idpId of many) await good(old.identityProviders.addOidc({ ...oidc, idpId }, context))
  const report = await good(rotated.identityProviders.resealSecrets({}, context))
  expect(report.resealed).toEqual([...ids, ...many])
})

it('does not appear as a change of the secret in the history', async () => {
  await good(rotated.identityProviders.resealSecrets({ idpId: 'a' }, context))
  const object = { type: 'identity_provider' as const, idpId: 'a' }
  const { items } = await good(rotated.history.list({ object }, context))
  expect(items.at(-1)).toMatchObject({ type: 'identity_provider.secret_resealed', changes: [] })
})

it('accepts a dry run that is off', async () => {
  const off = { ...context, dryRun: false } as const
  const report = await good(rotated.identityProviders.resealSecrets({ idpId: 'a' }, off))
  expect(report.resealed).toEqual(['a'])
})
