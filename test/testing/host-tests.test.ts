import { expect, test } from 'vitest'
import { projectRole } from '../../src/index.js'
import { fixedClock, given } from '../../src/testing/index.js'

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

test('A decider that is tried throws for a command that it does not know', () => {
  const command = { type: 'AddProjectRoles', data: {} }
  expect(() => given(projectRole, []).when(command as never)).toThrow(
    new TypeError('The decider does not know this command'),
  )
})
