import { expect, it } from 'vitest'
import { addSamples, good, iamOn, logOf, start } from '../host.js'

it('answers the position of the last event, and 0 before the first', async () => {
  const { store, iam } = start()
  expect(await good(iam.head())).toBe(0n)
  await addSamples(iam)
  expect(await good(iam.head())).toBe((await logOf(store)).at(-1)?.position)
})

it('needs no permission', async () => {
  const { store } = start()
  expect(await good(iamOn(store, { authorize: () => false }).head())).toBe(0n)
})

it('is Unavailable when the store is', async () => {
  const { store } = start()
  const cause = new Error('down')
  const iam = iamOn({ ...store, lastPosition: () => Promise.reject(cause) })
  expect((await iam.head())._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', cause })
})

it('ends by its signal while the store is silent', async () => {
  const { store } = start()
  const iam = iamOn({ ...store, lastPosition: () => new Promise(() => undefined) })
  const ending = new AbortController()
  const head = iam.head({ signal: ending.signal })
  ending.abort()
  expect((await head)._unsafeUnwrapErr()).toMatchObject({ kind: 'Cancelled' })
})

it('refuses options that it does not have', () => {
  const { iam } = start()
  expect(() => iam.head({ signals: 1 } as never)).toThrow(/^head has no option signals; it has/)
  expect(() => iam.head({ signal: 1 } as never)).toThrow(/^signal must be an AbortSignal/)
})
