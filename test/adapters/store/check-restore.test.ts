import { expect, test } from 'vitest'
import {
  beginsAppend,
  checkRestore,
  InvalidRestore,
} from '../../../src/adapters/store/record-events.js'
import { memoryEventStore, type RecordedEvent } from '../../../src/index.js'
import { appendOf, firstOf, record, write } from '../../../src/laws/event-store/harness.js'

const EMPTY = { last: undefined, versionOf: () => 0, isKeyUsed: () => false }

/** Two events of one append under the key `k`, then one more of another stream. */
const log = async (): Promise<readonly [RecordedEvent, RecordedEvent, RecordedEvent]> => {
  const store = memoryEventStore()
  await record(store, appendOf([write('law-a', 0, {}, {})], { idempotencyKey: 'k' }))
  await record(store, firstOf('law-b'))
  const [first, second, third] = await store.readAll(0n, 10)
  if (!first || !second || !third) throw new Error('Three events were expected')
  return [first, second, third]
}

test('A restored event leaves positions above it that are exact as numbers.', async () => {
  const [event] = await log()
  const largest = 2n ** 53n - 2n ** 32n
  const refusalOf = (position: bigint) => checkRestore([{ ...event, position }], EMPTY)
  expect(refusalOf(largest)).toBe(undefined)
  expect(refusalOf(largest + 1n)).toMatchObject({
    name: 'InvalidRestore',
    message: 'Position 9007194959773697 is above 9007194959773696',
  })
})

test('A log is restored whole, or in parts that continue each other.', async () => {
  const events = await log()
  const [first, ...rest] = events
  expect(checkRestore([], EMPTY)).toBeUndefined()
  expect(checkRestore(events, EMPTY)).toBeUndefined()
  const versionOf = (stream: string) => (stream === first.stream ? 1 : 0)
  const stored = { last: first, versionOf, isKeyUsed: (key: string) => key === 'k' }
  // The second event is of the same append, whose key is its own.
  expect(checkRestore(rest, stored)).toBeUndefined()
})

test('Positions rise, also above the last one that is stored.', async () => {
  const [first, second] = await log()
  const refusal = (...positions: readonly [bigint, bigint?]) =>
    checkRestore([{ ...second, version: 1, position: positions[0] }], {
      ...EMPTY,
      ...(positions[1] !== undefined && { last: { ...first, position: positions[1] } }),
    })
  expect(refusal(1n)).toBeUndefined()
  expect(refusal(0n)?.message).toBe('Position 0 is not above the one before')
  expect(refusal(5n, 4n)).toBeUndefined()
  expect(refusal(5n, 5n)).toBeInstanceOf(InvalidRestore)
  expect(refusal(4n, 5n)).toBeInstanceOf(InvalidRestore)
  expect(checkRestore([first, { ...second, position: first.position }], EMPTY)).toBeInstanceOf(
    InvalidRestore,
  )
})

test('Versions continue each stream without a gap.', async () => {
  const [first, second, third] = await log()
  const message = `Version 2 does not continue the stream ${first.stream}`
  expect(checkRestore([second], EMPTY)?.message).toBe(message)
  expect(checkRestore([second], { ...EMPTY, versionOf: () => 1 })).toBeUndefined()
  const later = { ...third, stream: first.stream, version: 2, position: third.position + 1n }
  expect(checkRestore([first, third, later], EMPTY)).toBeUndefined()
  expect(checkRestore([first, { ...second, version: 3 }], EMPTY)?.message).toContain('Version 3')
  expect(checkRestore([first, { ...second, version: 1 }], EMPTY)?.message).toContain('Version 1')
})

test('An idempotency key is of one append alone, of those that are stored too.', async () => {
  const [first, second, third] = await log()
  const message = 'The idempotency key k was used before'
  const isKeyUsed = (key: string) => key === 'k'
  expect(checkRestore([first], { ...EMPTY, isKeyUsed })?.message).toBe(message)
  const again = { ...third, metadata: first.metadata }
  expect(checkRestore([first, second, again], EMPTY)?.message).toBe(message)
  expect(checkRestore([first, second, third], { ...EMPTY, isKeyUsed: () => false })).toBeUndefined()
  expect(checkRestore([third], { ...EMPTY, isKeyUsed: () => true })).toBeUndefined()
})

test('The first event of an append is that which no event of it precedes.', async () => {
  const [first, second, third] = await log()
  expect(beginsAppend(first, undefined)).toBe(true)
  expect(beginsAppend(second, first)).toBe(false)
  expect(beginsAppend(third, second)).toBe(true)
})
