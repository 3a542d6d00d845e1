import { describe, expect, it } from 'vitest'
import { type Field, objections, withField } from './objections.js'
import { itDefaultsTo, itIsRequired, notText } from './presence-laws.js'

const TEN_MEGABYTES = 10_000_000

const goodTexts = [
  'a',
  '   ',
  '\n',
  '\u0001',
  '\uFEFF',
  '__proto__',
  'constructor',
  '../+/-%00',
  'a'.repeat(200),
  '😀'.repeat(200),
  `${'😀'.repeat(100)}${'a'.repeat(100)}`,
]

const longTexts = [
  'a'.repeat(201),
  '😀'.repeat(201),
  `${'😀'.repeat(199)}aa`,
  'a'.repeat(TEN_MEGABYTES),
  '\uD800'.repeat(TEN_MEGABYTES),
]

const SURROGATE = 'must not contain a lone surrogate'
const ZERO = 'must not contain the character U+0000'

const describeText = ({ schema, valid, field }: Field): void => {
  const objectionsTo = (value: unknown) => objections(schema, withField(valid, field, value))

  it('keeps up to 200 code points as they are', () => {
    for (const value of goodTexts) {
      const input = withField(valid, field, value)
      expect(schema.parse(input)).toMatchObject({ data: { [field]: value } })
    }
  })

  it('refuses 201 code points and more', () => {
    for (const value of longTexts)
      expect(objectionsTo(value)).toEqual([`data.${field}: must be at most 200 characters`])
  })

  it('refuses lone surrogates', () => {
    for (const value of ['\uD800', 'a\uDC00b', '\uDC00\uD800', '😀\uD83D'])
      expect(objectionsTo(value)).toEqual([`data.${field}: ${SURROGATE}`])
  })

  it('refuses U+0000', () => {
    for (const value of ['\0', 'a\0b'])
      expect(objectionsTo(value)).toEqual([`data.${field}: ${ZERO}`])
  })

  it('refuses null and other types', () => {
    for (const value of notText)
      expect(objectionsTo(value)).toEqual([`data.${field}: must be text`])
  })
}

/** Text of 1 to 200 characters. */
export const describeRequiredText = (of: Field): void => {
  describe(of.field, () => {
    describeText(of)
    itIsRequired(of)
    it('refuses the empty text', () => {
      expect(objections(of.schema, withField(of.valid, of.field, ''))).toEqual([
        `data.${of.field}: must not be empty`,
      ])
    })
  })
}

/** Text of 0 to 200 characters; required unless it has a default. */
export const describeOptionalText = (of: Field, whenAbsent?: string): void => {
  describe(of.field, () => {
    describeText(of)
    if (whenAbsent === undefined) itIsRequired(of)
    else itDefaultsTo(of, whenAbsent)
    it('may be empty', () => {
      expect(of.schema.parse(withField(of.valid, of.field, ''))).toMatchObject({
        data: { [of.field]: '' },
      })
    })
  })
}
