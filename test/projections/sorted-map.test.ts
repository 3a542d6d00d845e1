import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { compareCodePoints } from '../../src/projections/row-order.js'
import { SortedMap } from '../../src/projections/sorted-map.js'

/** Keys of few characters, so that many are equal; the last two are in another order as code units. */
const anyKey = fc.array(fc.constantFrom('a', 'b', '\0', '+', '\u{1F600}', '\uFFFD'), {
  maxLength: 6,
})

test('A sorted map has the entries of a map, in the order of their code points, from any key on.', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(anyKey, fc.boolean()), { maxLength: 200 }),
      anyKey,
      fc.nat(200),
      (changes, startKey, since) => {
        const sorted = new SortedMap<number>()
        const expected = new Map<string, number>()
        const inOrder = () =>
          [...expected].toSorted(([one], [other]) => compareCodePoints(one, other))
        const isLater = (value: number) => value >= since
        for (const [value, [characters, isSet]] of changes.entries()) {
          const key = characters.join('')
          if (isSet) {
            sorted.set(key, value)
            expected.set(key, value)
          } else {
            sorted.delete(key)
            expected.delete(key)
          }
          expect(sorted.get(key)).toBe(expected.get(key))
          // Some changes follow each other without a read.
          if (characters.length > 3) expect(entriesOf(sorted.from(''))).toEqual(inOrder())
        }
        const start = startKey.join('')
        expect(sorted.size).toBe(expected.size)
        expect(entriesOf(sorted.from(''))).toEqual(inOrder())
        const following = inOrder().filter(([key]) => compareCodePoints(key, start) >= 0)
        expect(entriesOf(sorted.from(start, undefined, isLater))).toEqual(
          following.filter(([, value]) => isLater(value)),
        )
        expect(entriesOf(sorted.from(start))).toEqual(following)
        expect(entriesOf(sorted.from(start, undefined, isLater))).toEqual(
          following.filter(([, value]) => isLater(value)),
        )
        expect(entriesOf(sorted.from('', start, isLater))).toEqual(
          inOrder().filter(([key, value]) => key === start && isLater(value)),
        )
      },
    ),
  )
})

test.each(['rising', 'falling', 'mixed'])(
  'Ten thousand keys that are added in %s order, and half of them deleted, stay in order.',
  (order) => {
    const numbers = Array.from({ length: 10_000 }, (_, index) => index)
    const added = {
      rising: numbers,
      falling: numbers.toReversed(),
      mixed: numbers.map((number) => (number * 7_919) % numbers.length),
    }[order]
    const sorted = new SortedMap<number>()
    for (const number of added ?? []) sorted.set(keyOf(number), number)
    for (const number of added ?? []) if (number % 2 === 1) sorted.delete(keyOf(number))
    const even = numbers.filter((number) => number % 2 === 0)
    expect(entriesOf(sorted.from('')).map(([, number]) => number)).toEqual(even)
    expect(entriesOf(sorted.from(keyOf(5_001))).map(([, number]) => number)).toEqual(
      even.filter((number) => number > 5_001),
    )
    for (const number of even) sorted.delete(keyOf(number))
    expect([sorted.size, ...sorted.from('')]).toEqual([0])
  },
)

test('The first page of many keys in any order takes few comparisons, and so does each new key.', () => {
  const sorted = new SortedMap<number>()
  const count = 100_000
  for (let index = 0; index < count; index++) sorted.set(keyOf((index * 7_919) % count), index)
  const comparing = vi.spyOn(String.prototype, 'charCodeAt')
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  const charactersOf = (start: string) => {
    comparing.mockClear()
    const [first] = sorted.from(start)
    expect(first?.key).toBe(start)
    return comparing.mock.calls.length
  }
  expect(charactersOf(keyOf(0))).toBeLessThan(2 * count)
  expect(charactersOf(keyOf(1))).toBeLessThan(500)
  comparing.mockClear()
  sorted.set(`${keyOf(50_000)}a`, 0)
  expect(comparing.mock.calls.length).toBeLessThan(500)
})

test('Entries with older values are neither sorted nor gone through, except those beside newer ones.', () => {
  const sorted = new SortedMap<number>()
  const count = 10_000
  for (let index = 0; index < count; index++) sorted.set(keyOf((index * 7_919) % count), index)
  // Divides the map.
  expect([...sorted.from('a')]).toEqual([])
  const comparing = vi.spyOn(String.prototype, 'charCodeAt')
  onTestFinished(() => {
    vi.restoreAllMocks()
  })
  const isNewer = vi.fn((value: number) => value >= count)
  expect(entriesOf(sorted.from('', undefined, isNewer))).toEqual([])
  expect(isNewer.mock.calls.length).toBeLessThan(50)
  // Of a known key and of a new one.
  sorted.set(keyOf(7_000), count)
  sorted.set(`${keyOf(3_000)}a`, count + 1)
  comparing.mockClear()
  isNewer.mockClear()
  expect(entriesOf(sorted.from('', undefined, isNewer))).toEqual([
    ['03000a', count + 1],
    ['07000', count],
  ])
  expect(isNewer.mock.calls.length).toBeLessThan(3_000)
  expect(comparing.mock.calls.length).toBeLessThan(500)
})

const keyOf = (number: number): string => String(number).padStart(5, '0')

const entriesOf = (entries: Iterable<{ readonly key: string; readonly value: number }>) =>
  Array.from(entries, ({ key, value }) => [key, value] as const)
