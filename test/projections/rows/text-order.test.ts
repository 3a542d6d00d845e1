import fc from 'fast-check'
import { expect, test } from 'vitest'
import { afterPrefix, compareCodePoints, foldCase } from '../../../src/projections/row-order.js'

const text = fc.string({ unit: 'binary', maxLength: 6 })

const utf8 = (value: string) => Buffer.from(value, 'utf8')

test('Text is ordered as its bytes in UTF-8 are.', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(Math.sign(compareCodePoints(one, other))).toBe(Buffer.compare(utf8(one), utf8(other)))
    }),
  )
  expect(compareCodePoints('\uffff', '😀')).toBeLessThan(0)
  expect(compareCodePoints('😀', '\ue000')).toBeGreaterThan(0)
  expect(compareCodePoints('a', 'ab')).toBeLessThan(0)
})

test('A text begins with a prefix when it lies between the prefix and what comes after it.', () => {
  fc.assert(
    fc.property(text, text, fc.boolean(), (prefix, rest, isLonger) => {
      const value = isLonger ? prefix + rest : rest
      const end = afterPrefix(prefix)
      const isBetween =
        compareCodePoints(value, prefix) >= 0 &&
        (end === undefined || compareCodePoints(value, end) < 0)
      expect(isBetween).toBe(value.startsWith(prefix))
    }),
  )
})

test.each([
  ['ab', 'ac'],
  ['\ud7ff', '\ue000'],
  ['\uffff', '\u{10000}'],
  ['a\u{10ffff}\u{10ffff}', 'b'],
  ['\u{10ffff}', undefined],
  ['', undefined],
])('After the prefix %j comes %j.', (prefix, end) => {
  expect(afterPrefix(prefix)).toBe(end)
})

test('To fold parts is to fold the whole, so what one text contains it still contains folded.', () => {
  fc.assert(
    fc.property(text, text, (one, other) => {
      expect(foldCase(one + other)).toBe(foldCase(one) + foldCase(other))
    }),
  )
  expect(foldCase('ΟΔΟΣ') + foldCase('Σ')).toBe(foldCase('οδοςσ'))
})

test.each([
  ['Editor', 'EDITOR'],
  ['straße', 'STRASSE'],
  ['ẞ', 'ß'],
  ['οδος', 'ΟΔΟΣ'],
  ['\u212a', 'k'],
  ['É', 'é'],
])('%s and %s are the same but for case.', (one, other) => {
  expect(foldCase(one)).toBe(foldCase(other))
})

test('Accents are more than case.', () => {
  expect(foldCase('é')).not.toBe(foldCase('e'))
  expect(foldCase('é')).not.toBe(foldCase('e\u0301'))
})
