import { expect, it } from 'vitest'
import { type Field, objections, withField, withoutField } from './objections.js'

/** Values that are no text. */
export const notText: readonly unknown[] = [
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

/** A field without a default. */
export const itIsRequired = ({ schema, valid, field }: Field): void => {
  it('is required', () => {
    const missing = [`data.${field}: is required`]
    expect(objections(schema, withoutField(valid, field))).toEqual(missing)
    expect(objections(schema, withField(valid, field, undefined))).toEqual(missing)
  })
}

/** A field with a default. */
export const itDefaultsTo = ({ schema, valid, field }: Field, value: unknown): void => {
  it(`is ${JSON.stringify(value)} when absent or undefined`, () => {
    const expected = { data: { [field]: value } }
    expect(schema.parse(withoutField(valid, field))).toMatchObject(expected)
    expect(schema.parse(withField(valid, field, undefined))).toMatchObject(expected)
  })
}
