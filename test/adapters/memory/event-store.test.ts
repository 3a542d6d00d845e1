import { describe, expect, test } from 'vitest'
import { memoryEventStore } from '../../../src/adapters/memory/event-store.js'
import { appendOf, record, write } from '../../../src/laws/event-store/harness.js'
import { eventClockLaws, eventRestoreLaws, eventStoreLaws } from '../../../src/laws/index.js'

const harness = {
  open: async () => memoryEventStore(),
  reopen: async (store: ReturnType<typeof memoryEventStore>) => store,
  openAt: async (now: () => Date) => memoryEventStore({ now }),
}

const brokenClocks: readonly (readonly [string, () => Date])[] = [
  ['shows no time', () => new Date(Number.NaN)],
  ['is set to the year 2400', () => new Date('2400-01-01')],
  [
    'throws',
    () => {
      throw new Error('The clock is broken')
    },
  ],
]

describe('The memory event store', () => {
  for (const { name, check } of [...eventStoreLaws, ...eventRestoreLaws, ...eventClockLaws]) {
    test(name, () => check(harness))
  }

  test('freezes what it records', async () => {
    const [event] = await record(
      memoryEventStore(),
      appendOf([write('law-a', 0, { scopes: ['openid'], deep: { list: [{}] } })]),
    )
    expect(event).toSatisfy(isDeeplyFrozen)
  })

  test.each(['2026', null, {}])('takes %j for no clock', (now) => {
    expect(() => memoryEventStore({ now } as never)).toThrow(
      new TypeError('now must be a function'),
    )
  })

  test.each(brokenClocks)('records nothing, for certain, when its clock %s', async (_, now) => {
    const store = memoryEventStore({ now })
    const append = store.append(appendOf([write('law-a', 0, {})]))
    await expect(append).rejects.toMatchObject({ name: 'StoreFault', outcome: 'not_recorded' })
    expect(await store.readAll(0n, 1)).toEqual([])
  })
})

const isDeeplyFrozen = (value: unknown): boolean =>
  typeof value !== 'object' ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every(isDeeplyFrozen))
