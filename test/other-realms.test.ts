import { runInNewContext } from 'node:vm'
import { err } from 'neverthrow'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { isBusy, isNotADatabase, isSqliteError } from '../src/adapters/sqlite/faults.js'
import { aesGcmCipher, createIam, type FaultSeen, memoryEventStore } from '../src/index.js'
import { memoryCursors } from '../src/webhooks/cursors.js'
import { webhooks } from '../src/webhooks/webhooks.js'
import { context, good, oldCipher, refusal, start } from './application/host.js'
import { caller, newIam } from './webhooks/receivers.js'

// Under Jest, and in jsdom or Next.js, what Node.js makes is of another realm than the `Error` at hand.

afterEach(() => {
  vi.restoreAllMocks()
})

/** An error whose class is none of ours. */
const foreignError = (fields: object): unknown =>
  runInNewContext('Object.assign(new Error("foreign"), fields)', { fields })

const { signal } = new AbortController()

/** A signal whose class is none of ours. */
const foreign = {
  aborted: false,
  addEventListener: signal.addEventListener.bind(signal),
  removeEventListener: signal.removeEventListener.bind(signal),
}

const owner = { orgId: 'acme', idpId: 'google' }

describe('What is of another realm is known by its fields', () => {
  it('such as an error of SQLite', () => {
    expect(foreignError({})).not.toBeInstanceOf(Error)
    expect(isBusy(foreignError({ errcode: 5 }))).toBe(true)
    expect(isNotADatabase(foreignError({ errcode: 26 }))).toBe(true)
    for (const other of [foreignError({}), undefined, null, 5, 'errcode', { errcode: '5' }])
      expect(isSqliteError(other)).toBe(false)
  })

  it('such as an error of WebCrypto', async () => {
    const sealed = await oldCipher.seal('secret', owner)
    const thrown = foreignError({ name: 'OperationError' })
    vi.spyOn(crypto.subtle, 'decrypt').mockRejectedValueOnce(thrown)
    const tampered = { kind: 'SecretUnreadable', reason: 'tampered', keyId: 'k1' }
    expect(await oldCipher.open(sealed, owner)).toEqual(err(tampered))
    vi.spyOn(crypto.subtle, 'decrypt').mockRejectedValueOnce(foreignError({ name: 'Error' }))
    await expect(oldCipher.open(sealed, owner)).rejects.toMatchObject({ message: 'foreign' })
  })

  it('such as the bytes of a key', async () => {
    const k1: Uint8Array = runInNewContext('new Uint8Array(32).fill(1)')
    const cipher = aesGcmCipher({ current: 'k1', keys: { k1 } })
    expect((await oldCipher.open(await cipher.seal('secret', owner), owner)).isOk()).toBe(true)
    for (const wrong of [
      'new Uint16Array(32)',
      'new Uint8Array(32).buffer',
      'Array(32).fill(1)',
      '({ [Symbol.toStringTag]: "Uint8Array", length: 32 })',
    ])
      expect(() => aesGcmCipher({ current: 'k1', keys: { k1: runInNewContext(wrong) } })).toThrow(
        'keys.k1 must be a Uint8Array',
      )
  })

  it('such as the cause of a fault that hooks receive', async () => {
    const seen: FaultSeen[] = []
    const causes = [
      foreignError({ code: 'EIO' }),
      foreignError({ code: 'ERR_SQLITE_ERROR', errcode: 13 }),
      foreignError({ cause: foreignError({ code: 'ECONNREFUSED' }) }),
      { name: 'Ada', code: 'A1' },
      'Ada',
    ]
    for (const cause of causes) {
      const store = { ...memoryEventStore(), append: () => Promise.reject(cause) }
      const hooks = { onFault: (fault: FaultSeen) => void seen.push(fault) }
      const iam = createIam({ store, secrets: oldCipher, authorize: () => true, hooks })
      await refusal(iam.projects.add({ name: 'Portal' }, context))
    }
    expect(seen.map(({ cause }) => cause)).toEqual([
      { name: 'Error', code: 'EIO' },
      { name: 'Error', code: 13 },
      { name: 'Error', code: 'ECONNREFUSED' },
      undefined,
      undefined,
    ])
  })

  it('such as the signal of a request', async () => {
    const { iam } = start()
    const withSignal = (signal: object) => ({ ...context, signal: signal as AbortSignal })
    await good(iam.projects.add({ name: 'Portal' }, withSignal(foreign)))
    const aborted = iam.projects.add({ name: 'Portal' }, withSignal({ ...foreign, aborted: true }))
    expect(await refusal(aborted)).toEqual({ kind: 'Cancelled' })
    for (const none of [
      {},
      { aborted: false },
      { ...foreign, removeEventListener: 1 },
      { ...foreign, aborted: 'no' },
      [],
      () => undefined,
    ])
      expect(await refusal(iam.projects.add({ name: 'Portal' }, withSignal(none)))).toMatchObject({
        violations: [{ field: 'signal', description: 'must be an AbortSignal' }],
      })
  })

  it('such as the signal that ends webhooks', async () => {
    const { run } = webhooks({
      iam: newIam(),
      caller,
      cursors: memoryCursors(),
      endpoints: () => [],
      lookup: false,
    })
    const aborted = { ...foreign, aborted: true }
    expect((await run({ signal: aborted as unknown as AbortSignal })).isOk()).toBe(true)
    expect(() => run({ signal: { aborted: true } as AbortSignal })).toThrow(
      'signal must be an AbortSignal',
    )
  })
})
