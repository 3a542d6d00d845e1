import { expect, test } from 'vitest'
import { demandEqual } from '../../src/laws/law.js'

const messageOf = (actual: unknown, expected: unknown): string => {
  try {
    demandEqual('a list', actual, expected)
  } catch (error) {
    return error instanceof Error ? error.message : ''
  }
  return 'nothing'
}

test('A broken law shows both texts, from the beginning where that is enough.', () => {
  expect(messageOf([1], [1])).toBe('nothing')
  expect(messageOf([1], [2])).toBe('Expected a list to be [2], not [1]')
  const [long, other] = ['a', 'b'].map((letter) => letter.repeat(3000))
  expect(messageOf(long, other)).toBe(
    `Expected a list to be "${'b'.repeat(999)}…, not "${'a'.repeat(999)}…`,
  )
})

test('A broken law shows the first difference, however late it comes.', () => {
  const same = 'x'.repeat(5000)
  expect(messageOf(`${same}found`, `${same}sought`)).toBe(
    `Expected a list to be …${'x'.repeat(500)}sought", not …${'x'.repeat(500)}found"`,
  )
})
