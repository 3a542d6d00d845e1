import { describe, expect, it } from 'vitest'
import type { z } from 'zod'

/** A command as anyone may send it. */
interface Input {
  readonly type: string
  readonly data: object
}

/** A schema, an input that it accepts, and the field of the input that is looked at. */
export interface Field {
  readonly schema: z.ZodType
  readonly valid: Input
  readonly field: string
}

/** What `schema` objects to, as `path: message`; `[]` when it accepts `input`. */
export const objections = (schema: z.ZodType, input: unknown): readonly string[] => {
  const parsed = schema.safeParse(input)
  if (parsed.success) return []
  return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
}

/** `input` with one field set, also to undefined; `__proto__` becomes a field like any other. */
export const withField = (input: Input, field: string, value: unknown): Input => ({
  ...input,
  data: Object.fromEntries([...Object.entries(input.data), [field, value]]),
})

/** `input` with one field left out. */
export const withoutField = (input: Input, field: string): Input => ({
  ...input,
  data: Object.fromEntries(Object.entries(input.data).filter(([name]) => name !== field)),
})

const TEN_MEGABYTES = 10_000_000

const notText: readonly unknown[] = [
  null,
  0,
  1n,
  true,
  {},
  [],
  ['a'],
  Symbol('a'),
  () => 'a',
  new String('a'),
  new Date(0),
]

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

const itIsRequired = ({ schema, valid, field }: Field): void => {
  it('is required', () => {
    const missing = [`data.${field}: is required`]
    expect(objections(schema, withoutField(valid, field))).toEqual(missing)
    expect(objections(schema, withField(valid, field, undefined))).toEqual(missing)
  })
}

const itDefaultsTo = ({ schema, valid, field }: Field, value: unknown): void => {
  it(`is ${JSON.stringify(value)} when absent or undefined`, () => {
    const expected = { data: { [field]: value } }
    expect(schema.parse(withoutField(valid, field))).toMatchObject(expected)
    expect(schema.parse(withField(valid, field, undefined))).toMatchObject(expected)
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

    it('refuses other characters, other beginnings, emptiness and length', () => {
      for (const value of badIds)
        expect(objectionsTo(value)).toEqual([
          `data.${field}: must be 1 to 64 letters, digits or any of . _ : @ ~ -, starting with a letter or digit`,
        ])
    })

    it('refuses null and other types', () => {
      for (const value of notText)
        expect(objectionsTo(value)).toEqual([`data.${field}: must be an id`])
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

/** What holds of every command, whatever its fields. */
export const describeCommand = (schema: z.ZodType, union: z.ZodType, valid: Input): void => {
  it('is read by its own schema and by that of its aggregate alike', () => {
    expect(union.parse(valid)).toEqual(schema.parse(valid))
  })

  it.each(['extra', '__proto__', 'constructor', 'toString', ''])(
    'refuses the unknown field "%s"',
    (field) => {
      const unknown = `Unrecognized key: "${field}"`
      expect(objections(schema, withField(valid, field, 1))).toEqual([`data: ${unknown}`])
      const beside = Object.fromEntries([...Object.entries(valid), [field, 1]])
      expect(objections(schema, beside)).toEqual([`: ${unknown}`])
    },
  )

  it('refuses what is no object of fields', () => {
    for (const data of [undefined, null, 'data', 1, [], new Array(TEN_MEGABYTES)])
      expect(objections(schema, { type: valid.type, data })).toEqual([
        expect.stringMatching('^data: .*expected object'),
      ])
    for (const input of [undefined, null, 'command', 1, []])
      expect(objections(schema, input)).toEqual([expect.stringMatching('^: .*expected object')])
  })

  it('refuses another type', () => {
    for (const type of [undefined, null, '', '__proto__', 'Other', 'x'.repeat(TEN_MEGABYTES)]) {
      const input = { ...valid, type }
      expect(objections(schema, input)).toEqual([expect.stringMatching('^type: ')])
      expect(objections(union, input)).toEqual([expect.stringMatching('^type: ')])
    }
  })

  it('does not freeze or change what it was given', () => {
    const before = structuredClone(valid)
    schema.parse(valid)
    expect(valid).toEqual(before)
    expect(Object.isFrozen(valid.data)).toBe(false)
  })
}
