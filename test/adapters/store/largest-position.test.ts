import { expect, test } from 'vitest'
import {
  MAX_RESTORED_POSITION,
  nextPosition,
  recordEvents,
} from '../../../src/adapters/store/record-events.js'
import { memoryEventStore } from '../../../src/index.js'
import { appendOf, firstOf, record, write } from '../../../src/laws/event-store/harness.js'

test('Positions that are not exact as numbers are refused before anything is recorded.', () => {
  const append = firstOf('law-a')
  const last = Number.MAX_SAFE_INTEGER
  expect(recordEvents(append, nextPosition(0, last - 1))).toMatchObject([
    { position: BigInt(last) },
  ])
  expect(() => recordEvents(append, nextPosition(0, last))).toThrow(
    expect.objectContaining({
      name: 'StoreFault',
      message: 'No positions are left above the last event',
      outcome: 'not_recorded',
    }),
  )
})

test('The positions of all events of an append are exact as numbers.', () => {
  const append = appendOf([write('law-a', 3, {}, {}), write('law-b', 0), write('law-c', 0, {})])
  const last = Number.MAX_SAFE_INTEGER
  expect(
    recordEvents(append, last - 2).map(({ stream, version, position }) => [
      stream,
      version,
      Number(position) - last,
    ]),
  ).toEqual([
    ['law-a', 4, -2],
    ['law-a', 5, -1],
    ['law-c', 1, 0],
  ])
  expect(() => recordEvents(append, last - 1)).toThrow('No positions are left')
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
