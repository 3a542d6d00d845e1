import { expect, it } from 'vitest'
import { Recent } from '../../../src/application/recording/recent.js'

/** Holds `bytes` of values that take as many bytes as they have letters. */
const recentOf = (bytes: number) => new Recent<number, string>(bytes, ({ length }) => length)

const TEN_BYTES = '0123456789'

it('keeps at least half of the bytes that it may take, and at most all', () => {
  const recent = recentOf(200)
  for (let key = 1; key <= 100; key++) recent.set(key, TEN_BYTES)
  const kept = Array.from({ length: 100 }, (_, n) => n + 1).filter((key) => recent.get(key))
  expect(kept.length).toBeGreaterThanOrEqual(10)
  expect(kept.length).toBeLessThanOrEqual(20)
  expect(kept.at(-1)).toBe(100)
})

it('keeps fewer of what takes more', () => {
  const recent = recentOf(200)
  for (let key = 1; key <= 100; key++) recent.set(key, TEN_BYTES.repeat(4))
  const kept = Array.from({ length: 100 }, (_, n) => n + 1).filter((key) => recent.get(key))
  expect(kept.length).toBeLessThanOrEqual(5)
})

it('keeps what is used again and again', () => {
  const recent = recentOf(100)
  recent.set(0, TEN_BYTES)
  for (let key = 1; key <= 100; key++) {
    recent.set(key, TEN_BYTES)
    expect(recent.get(0)).toBe(TEN_BYTES)
  }
})

it('keeps what was set last, however large it is', () => {
  const recent = recentOf(10)
  recent.set(1, TEN_BYTES.repeat(10))
  expect(recent.get(1)).toBe(TEN_BYTES.repeat(10))
  expect(recent.get(1)).toBe(TEN_BYTES.repeat(10))
})

it('has the last value that was set, and nothing that was not', () => {
  const recent = recentOf(40)
  for (const key of [1, 2, 3]) recent.set(key, TEN_BYTES)
  recent.set(1, 'newer')
  expect(recent.get(1)).toBe('newer')
  for (const key of [3, 4]) recent.set(key, TEN_BYTES)
  expect(recent.get(1)).toBe('newer')
  expect(recent.get(5)).toBeUndefined()
})
