import { describe, expect, it } from 'vitest'
import { type Field, objections, withField } from './objections.js'
import { itIsRequired, notText } from './presence-laws.js'

/** 1 to 400 items of `make`, which each differ from the others by the text that is given. */
const describeFewToMany = (of: Field, make: (key: string) => unknown): void => {
  const { schema, valid, field } = of
  const items = (count: number) => Array.from({ length: count }, (_, index) => make(`k${index}`))
  const objectionsTo = (value: unknown) => objections(schema, withField(valid, field, value))
  itIsRequired(of)

  it('keeps 1 to 400 as they are', () => {
    for (const value of [items(1), items(400)])
      expect(schema.parse(withField(valid, field, value))).toMatchObject({
        data: { [field]: value },
      })
  })

  it('refuses none and 401', () => {
    expect(objectionsTo([])).toEqual([`data.${field}: must have at least 1 item`])
    expect(objectionsTo(items(401))).toEqual([`data.${field}: must have at most 400 items`])
  })

  it('refuses a value that is not a list', () => {
    for (const value of [null, 0, 'editor', {}, make('editor')])
      expect(objectionsTo(value)).toEqual([`data.${field}: must be a list`])
  })
}

/** Keys of roles. */
export const describeRoleKeys = (of: Field): void => {
  describe(of.field, () => {
    describeFewToMany(of, (key) => key)

    it('refuses a value that is not a key', () => {
      for (const value of ['', ...notText])
        expect(objections(of.schema, withField(of.valid, of.field, ['editor', value]))).toEqual([
          `data.${of.field}.1: must ${value === '' ? 'not be empty' : 'be text'}`,
        ])
    })
  })
}

/** Roles with their lives; `make` makes one. */
export const describeGrantedRoles = (of: Field, make: (key: string) => object): void => {
  describe(of.field, () => {
    describeFewToMany(of, make)
    const objectionsTo = (role: object) =>
      objections(of.schema, withField(of.valid, of.field, [make('editor'), role]))
    const at = `data.${of.field}.1`

    it('refuses a role without a key', () => {
      const { roleKey: _, ...keyless } = { roleKey: '', ...make('viewer') }
      expect(objectionsTo(keyless)).toEqual([`${at}.roleKey: is required`])
      expect(objectionsTo({ ...make('viewer'), roleKey: '' })).toEqual([
        `${at}.roleKey: must not be empty`,
      ])
    })

    it('refuses a role whose generation is not a version', () => {
      const { roleSince: _, ...ageless } = { roleSince: 1, ...make('viewer') }
      expect(objectionsTo(ageless)).toHaveLength(1)
      for (const roleSince of [null, '1', 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53])
        expect(objectionsTo({ ...make('viewer'), roleSince })).toEqual([
          expect.stringMatching(`^${at}.roleSince: `),
        ])
    })

    it('refuses unknown fields of a role', () => {
      expect(objectionsTo({ ...make('viewer'), extra: 1 })).toEqual([
        `${at}: Unrecognized key: "extra"`,
      ])
    })
  })
}
