import { expect, test } from 'vitest'
import { fixedClock } from '../../src/testing/fixed-clock.js'

test('A fixed clock stands still until it is set or advanced', () => {
  const now = fixedClock('2024-02-29T12:00:00Z')
  now().setFullYear(1999)
  expect(now()).toEqual(new Date('2024-02-29T12:00:00Z'))

  now.advance(1500)
  expect(now().toISOString()).toBe('2024-02-29T12:00:01.500Z')

  now.set(0)
  expect(now()).toEqual(new Date(0))
})

test('A fixed clock refuses an invalid date', () => {
  expect(() => fixedClock('noon')).toThrow(RangeError)
  expect(() => fixedClock(0).advance(Number.NaN)).toThrow(RangeError)
})
