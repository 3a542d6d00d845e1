import { expect, test } from 'vitest'
import {
  MAX_RESTORED_POSITION,
  nextPosition,
  recordEvents,
} from '../../../src/adapters/store/record-events.js'
import { memoryEventStore } from '../../../src/index.js'
import { firstOf, record } from '../../../src/laws/event-store/harness.js'

test('Positions that are not exact as numbers are refused before anything is recorded.', () => {
  const append = firstOf('law-a')
  const last = Number.MAX_SAFE_INTEGER
  expect(recordEvents(append, nextPosition(0, last - 1))).toMatchObject([
    { position: BigInt(last) },
  ])
  expect(() => recordEvents(append, nextPosition(0, last))).toThrow('No positions are left')
})

test('Appends after the largest restored event have positions of their own.', async () => {
  const [event] = await record(memoryEventStore(), firstOf('law-a'))
  const store = memoryEventStore()
  const restored = [{ ...event!, position: MAX_RESTORED_POSITION }]
  await store.restore(restored)
  await record(store, firstOf('law-b'))
  await record(store, firstOf('law-c'))
  const positions = (await store.readAll(0n, 10)).map(({ position }) => position)
  expect(positions).toEqual([0n, 1n, 2n].map((n) => MAX_RESTORED_POSITION + n))
})
