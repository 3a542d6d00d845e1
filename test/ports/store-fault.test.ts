import { expect, test } from 'vitest'
import { outcomeOf, StoreFault } from '../../src/ports/store-fault.js'

test('a store fault is known by the outcome it states, whatever its class', () => {
  expect(outcomeOf(new StoreFault('locked', 'not_recorded'))).toBe('not_recorded')
  expect(outcomeOf(Object.assign(new Error('away'), { outcome: 'unknown' }))).toBe('unknown')
  expect(outcomeOf(Object.assign(new Error('away'), { outcome: 'lost' }))).toBeUndefined()
  expect(outcomeOf(new Error('a bug'))).toBeUndefined()
  expect(outcomeOf(undefined)).toBeUndefined()
})
