import { expect, test } from 'vitest'
import { isStoreFault, StoreFault } from '../../src/ports/store-fault.js'

test('A store fault is known by its name, of whichever copy of the class it is', () => {
  const copy = Object.assign(new Error('away'), { name: 'StoreFault', outcome: 'unknown' })
  expect(isStoreFault(new StoreFault('locked', 'not_recorded'))).toBe(true)
  expect(isStoreFault(copy)).toBe(true)
  expect(isStoreFault(new Error('a bug'))).toBe(false)
  expect(isStoreFault({ name: 'StoreFault', outcome: 'unknown' })).toBe(false)
})
