import { describe, expect, it } from 'vitest'
import { type Field, objections, withField } from './objections.js'
import { itDefaultsTo, itIsRequired, notText } from './presence-laws.js'

const TEN_MEGABYTES = 10_000_000

const goodIds = [
  'a',
  'Z',
  '0',
  'constructor',
  'a._:@~-',
  'x'.repeat(64),
  '01ARZ3NDEKTSV4RRFFQ69G5FAV',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  'abcdefghijklmnopqrstuvwxyz0123456789',
]

const badIds = [
  '',
  ' ',
  'a b',
  '__proto__',
  ...'._:@~-'.split(''),
  ...'+/\\,;!?*%&=#$|<>()[]{}\'"`^'.split('').map((character) => `a${character}`),
  'é',
  'aé',
  'a😀',
  '\u212A', // the sign of Kelvin, which folds to k
  'a\n',
  '\na',
  'a\0',
  'a\uD800',
  'x'.repeat(65),
  'x'.repeat(TEN_MEGABYTES),
]

/** An id of an object. */
export const describeId = (of: Field): void => {
  describe(of.field, () => {
    const { schema, valid, field } = of
    const objectionsTo = (value: unknown) => objections(schema, withField(valid, field, value))
    itIsRequired(of)

    it('keeps ids as they are', () => {
      for (const value of goodIds)
        expect(schema.parse(withField(valid, field, value))).toMatchObject({
          data: { [field]: value },
        })
    })

    it('refuses other characters, other beginnings, emptiness, length and other types', () => {
      for (const value of [...badIds, ...notText])
        expect(objectionsTo(value)).toEqual([
          `data.${field}: must be 1 to 64 letters, digits or any of . _ : @ ~ -, starting with a letter or digit`,
        ])
    })
  })
}

/** A switch that is off unless set. */
export const describeFlag = (of: Field): void => {
  describe(of.field, () => {
    const { schema, valid, field } = of
    itDefaultsTo(of, false)

    it.each([true, false])('keeps %s', (value) => {
      expect(schema.parse(withField(valid, field, value))).toMatchObject({
        data: { [field]: value },
      })
    })

    it('refuses null and other types', () => {
      for (const value of [null, 0, 1, '', 'true', 'false', [], {}, 'x'.repeat(TEN_MEGABYTES)])
        expect(objections(schema, withField(valid, field, value))).toEqual([
          `data.${field}: must be true or false`,
        ])
    })
  })
}

/** One of some names, the first of them when absent. */
export const describeChoice = (of: Field, names: readonly [string, ...string[]]): void => {
  describe(of.field, () => {
    const { schema, valid, field } = of
    itDefaultsTo(of, names[0])

    it.each(names)('keeps %s', (value) => {
      expect(schema.parse(withField(valid, field, value))).toMatchObject({
        data: { [field]: value },
      })
    })

    it('refuses other names, numbers, null and other types', () => {
      const others = ['', names[0].toLowerCase(), `${names[0]} `, '__proto__', 'constructor']
      for (const value of [...others, null, 0, 1, true, [names[0]], {}, 'x'.repeat(TEN_MEGABYTES)])
        expect(objections(schema, withField(valid, field, value))).toEqual([
          `data.${field}: must be one of ${names.join(', ')}`,
        ])
    })
  })
}

/** A secret that a cipher sealed; no more is known of it than that it is text. */
export const describeSealedSecret = (of: Field): void => {
  describe(of.field, () => {
    it('keeps any text that is not empty', () => {
      for (const value of ['s', '__proto__', 's'.repeat(5000)])
        expect(of.schema.parse(withField(of.valid, of.field, value))).toMatchObject({
          data: { [of.field]: value },
        })
    })

    it('refuses the empty text, null and other types', () => {
      const objectionsTo = (value: unknown) =>
        objections(of.schema, withField(of.valid, of.field, value))
      expect(objectionsTo('')).toEqual([`data.${of.field}: must not be empty`])
      for (const value of notText)
        expect(objectionsTo(value)).toEqual([`data.${of.field}: must be text`])
    })

    it('refuses undefined, also where it may be absent: it would blank the stored one', () => {
      expect(objections(of.schema, withField(of.valid, of.field, undefined))).toEqual([
        `data.${of.field}: is required`,
      ])
    })
  })
}
