import { expect, test } from 'vitest'
import { checkRestore } from '../../../src/adapters/store/check-append.js'
import { memoryEventStore } from '../../../src/index.js'
import { firstOf, record } from '../../../src/testing/event-store/harness.js'

test('A restored event has a position that is exact as a number, too.', async () => {
  const [event] = await record(memoryEventStore(), firstOf('law-a'))
  const largest = BigInt(Number.MAX_SAFE_INTEGER)
  const refusalOf = (position: bigint) =>
    event &&
    checkRestore([{ ...event, position }], {
      last: undefined,
      versionOf: () => 0,
      isKeyUsed: () => false,
    })
  expect(refusalOf(largest)).toBe(undefined)
  expect(refusalOf(largest + 1n)).toMatchObject({
    name: 'InvalidRestore',
    message: 'Position 9007199254740992 is not above the one before and below 2^53',
  })
})
