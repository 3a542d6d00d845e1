import { expect, onTestFinished, test, vi } from 'vitest'
import { microsecondClock, nextPosition } from '../../../src/adapters/store/record-events.js'
import { systemEnvironment } from '../../../src/ports/environment.js'

test('A store reads the system clock in microseconds.', () => {
  const now = vi.spyOn(systemEnvironment, 'now').mockReturnValue(1_234.5)
  onTestFinished(() => now.mockRestore())
  expect(microsecondClock()()).toBe(1_234_500)
})

test('A store reads the clock of the host in milliseconds when the host passes one.', () => {
  expect(microsecondClock(() => new Date(1_234))()).toBe(1_234_000)
})

test('A clock that is not a function is refused.', () => {
  expect(() => microsecondClock(5 as never)).toThrow(new TypeError('now must be a function'))
})

test.each([Number.NaN, Date.UTC(2256, 0)])('A clock that says %s records nothing.', (time) => {
  expect(microsecondClock(() => new Date(time))).toThrow(
    expect.objectContaining({
      name: 'StoreFault',
      message: 'now must return a time before the year 2255',
      outcome: 'not_recorded',
    }),
  )
})

test('A clock that throws records nothing, and the fault has the cause.', () => {
  const cause = new Error('stopped')
  const clock = microsecondClock(() => {
    throw cause
  })
  expect(clock).toThrow(expect.objectContaining({ outcome: 'not_recorded', cause }))
})

test('A position is the time, or the one after the last when time stands still.', () => {
  expect(nextPosition(10, 5)).toBe(10)
  expect(nextPosition(10, 10)).toBe(11)
  expect(nextPosition(10, 20)).toBe(21)
})
