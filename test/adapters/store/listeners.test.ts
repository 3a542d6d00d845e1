import { expect, test } from 'vitest'
import { listeners } from '../../../src/adapters/store/listeners.js'

test('Who no longer listens is not called, though it did when there was news.', async () => {
  const { add, wakeAll } = listeners()
  let calls = 0
  const remove = add(() => calls++)
  wakeAll()
  remove()
  await Promise.resolve()
  expect(calls).toBe(0)
})

test('Nobody is called before the code that tells of news has ended.', async () => {
  const { add, wakeAll } = listeners()
  let calls = 0
  add(() => calls++)
  wakeAll()
  expect(calls).toBe(0)
  await Promise.resolve()
  expect(calls).toBe(1)
})

test('A function that listens twice is called twice, and listens on when one of them ends.', async () => {
  const { add, isEmpty, wakeAll } = listeners()
  let calls = 0
  const wake = () => {
    calls++
  }
  const [first, second] = [add(wake), add(wake)]
  wakeAll()
  await Promise.resolve()
  expect(calls).toBe(2)
  first()
  expect(isEmpty()).toBe(false)
  wakeAll()
  await Promise.resolve()
  expect(calls).toBe(3)
  second()
  expect(isEmpty()).toBe(true)
})
