import { expect, it } from 'vitest'
import { Recent } from '../../../src/application/recording/recent.js'

/** Sets `from` to `to`, inclusive. */
const fill = (recent: Recent<number, string>, from: number, to: number): void => {
  for (let key = from; key <= to; key++) recent.set(key, `value ${key}`)
}

it('keeps at least a generation of what was lately set, and at most two', () => {
  const recent = new Recent<number, string>(10)
  fill(recent, 1, 100)
  const kept = Array.from({ length: 100 }, (_, n) => n + 1).filter((key) => recent.get(key))
  expect(kept.length).toBeGreaterThanOrEqual(10)
  expect(kept.length).toBeLessThanOrEqual(20)
  expect(kept.at(-1)).toBe(100)
})

it('keeps what is asked for again and again', () => {
  const recent = new Recent<number, string>(10)
  fill(recent, 0, 0)
  for (let key = 1; key <= 100; key++) {
    fill(recent, key, key)
    expect(recent.get(0)).toBe('value 0')
  }
})

it('has the last value that was set, and nothing that was not', () => {
  const recent = new Recent<number, string>(2)
  fill(recent, 1, 3)
  recent.set(1, 'newer')
  expect(recent.get(1)).toBe('newer')
  fill(recent, 3, 4)
  expect(recent.get(1)).toBe('newer')
  expect(recent.get(5)).toBeUndefined()
})
