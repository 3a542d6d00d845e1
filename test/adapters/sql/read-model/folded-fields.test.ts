import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { foldedKey, plainKey } from '../../../../src/adapters/sql/read-model/stored-rows.js'
import { foldCase } from '../../../../src/projections/row-order.js'

const keys = fc.oneof(
  fc.string(),
  fc.string({ unit: 'binary' }),
  fc.constantFrom('\u212a', 'ı', 'ß'),
)

describe('The folded text of a key', () => {
  test('is not kept of a plain key', () => {
    for (const key of ['editor', 'idp-1', 'a b~', '{', '@']) expect(foldedKey(key)).toBeNull()
  })

  test('is kept of any other', () => {
    for (const key of ['Editor', 'é', 'É', '\u212a', '\0', '\x7f', '😀']) {
      expect(foldedKey(key)).toBe(foldCase(key))
    }
  })

  test('finds the plain key that has it, and no other', () => {
    fc.assert(
      fc.property(keys, (key) => {
        expect(plainKey(foldCase(key)) === key).toBe(foldedKey(key) === null)
      }),
    )
  })

  test('finds no plain key that has another', () => {
    fc.assert(
      fc.property(keys, (text) => {
        const key = plainKey(text)
        if (key === undefined) return
        expect(foldedKey(key)).toBeNull()
        expect(foldCase(key)).toBe(text)
      }),
    )
  })
})
