import { expect, test } from 'vitest'
import { outcomeOf, retryAfterOf, StoreFault } from '../../src/ports/event-store.js'

test('a store fault is recognized by its outcome, not by its class', () => {
  expect(outcomeOf(new StoreFault('locked', 'not_recorded'))).toBe('not_recorded')
  expect(outcomeOf(Object.assign(new Error('away'), { outcome: 'unknown' }))).toBe('unknown')
  expect(outcomeOf(Object.assign(new Error('away'), { outcome: 'lost' }))).toBeUndefined()
  expect(outcomeOf(new Error('a bug'))).toBeUndefined()
  expect(outcomeOf(undefined)).toBeUndefined()
})

test('a store fault may say how long to wait', () => {
  expect(retryAfterOf(Object.assign(new Error('away'), { retryAfter: 1000 }))).toBe(1000)
  expect(retryAfterOf(Object.assign(new Error('away'), { retryAfter: 'soon' }))).toBeUndefined()
  expect(retryAfterOf(new StoreFault('full', 'not_recorded'))).toBeUndefined()
})
