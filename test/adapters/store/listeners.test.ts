import { expect, test } from 'vitest'
import { listeners } from '../../../src/adapters/store/record-events.js'

test('A listener that was removed after an append is not called.', async () => {
  const { add, wakeAll } = listeners()
  let calls = 0
  const remove = add(() => calls++)
  wakeAll()
  remove()
  await Promise.resolve()
  expect(calls).toBe(0)
})

test('Listeners are called after the current code.', async () => {
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
