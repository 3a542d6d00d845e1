import { expect, test } from 'vitest'
import { checkRestore } from '../../../src/adapters/store/record-events.js'
import { memoryEventStore } from '../../../src/index.js'
import { firstOf, record } from '../../../src/laws/event-store/harness.js'

test('A restored event leaves positions above it that are exact as numbers.', async () => {
  const [event] = await record(memoryEventStore(), firstOf('law-a'))
  const largest = 2n ** 53n - 2n ** 32n
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
    message: 'Position 9007194959773697 is above 9007194959773696',
  })
})
