import { expect, it } from 'vitest'
import type * as z from 'zod/mini'
import { type Input, objections, withField, withoutField } from './objections.js'

const TEN_MEGABYTES = 10_000_000

/** What holds of every command, whatever its fields. */
export const describeCommand = (
  schema: z.ZodMiniType,
  union: z.ZodMiniType,
  valid: Input,
): void => {
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

  it('refuses a value that is not an object of fields', () => {
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
    const given = structuredClone(valid)
    schema.parse(given)
    expect(given).toEqual(valid)
    expect(Object.isFrozen(given.data)).toBe(false)
  })
}

/** What holds of each field of a command that changes only what is given. */
export const itMayBeLeftOut = (
  schema: z.ZodMiniType,
  valid: Input,
  fields: readonly string[],
): void => {
  it.each(fields)('may leave out %s, which has no default then', (field) => {
    const absent = withoutField(valid, field)
    expect(schema.parse(absent)).toEqual(absent)
    expect(schema.parse(withField(valid, field, undefined))).toEqual(
      withField(valid, field, undefined),
    )
    expect(objections(schema, withField(valid, field, null))).toHaveLength(1)
  })
}
