import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { aggregates } from '../../src/domain/aggregates.js'
import { splitResource, withResource } from '../../src/domain/resource-path.js'
import { userGrantStream } from '../../src/domain/user-grant/aggregate.js'
import { Resource } from '../../src/domain/values.js'
import { compareCodePoints } from '../../src/projections/row-order.js'

const projectId = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:@~-]{0,5}$/)
/** Texts of characters that separate ids, escape them or lie beside those. */
const resource = fc.oneof(
  fc.string({ unit: fc.constantFrom(...'\t !%+,-./0:2BCa~', 'é', '\u{ffff}', '𐀀'), minLength: 1 }),
  fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\0')),
)

describe('A project and a resource as one text', () => {
  test('are read again.', () => {
    fc.assert(
      fc.property(projectId, fc.option(resource, { nil: undefined }), (id, on) => {
        const path = withResource(id, on)
        expect(path).not.toContain('+')
        const expected = on === undefined ? { projectId: id } : { projectId: id, resource: on }
        expect(splitResource(path)).toEqual(expected)
      }),
    )
  })

  test('write a character up to the comma as two hexadecimal digits.', () => {
    expect(withResource('app', 'a\tb+c')).toBe('app,a,09b,2Bc')
  })

  test('sort as pairs, the whole project first, whatever follows.', () => {
    const place = fc.tuple(projectId, fc.option(resource, { nil: '' }), resource)
    fc.assert(
      fc.property(place, place, (one, other) => {
        const [a, b] = [one, other].map(
          ([id, on, user]) => `${withResource(id, on === '' ? undefined : on)}+${user}`,
        )
        const byPair = one
          .map((text, index) => compareCodePoints(text, other[index] ?? ''))
          .find((difference) => difference !== 0)
        expect(Math.sign(compareCodePoints(a ?? '', b ?? ''))).toBe(Math.sign(byPair ?? 0))
      }),
    )
  })
})

test('Two different grants never have the same stream, and one without a resource keeps its name.', () => {
  expect(userGrantStream('acme', 'acme', 'app', 'bo')).toBe('user_grant-acme+acme+app+bo')
  const text = fc.string({ unit: fc.constantFrom(...'+,%aB2.-', '𐀀'), minLength: 1, maxLength: 4 })
  const grant = fc.record({ id: projectId, user: text, on: fc.option(text, { nil: undefined }) })
  fc.assert(
    fc.property(grant, grant, (one, other) => {
      const [a, b] = [one, other].map(({ id, user, on }) =>
        userGrantStream('acme', 'acme', id, user, on),
      )
      expect(a === b).toBe(one.id === other.id && one.user === other.user && one.on === other.on)
    }),
    { numRuns: 2000 },
  )
})

test.each([
  ['', 'must not be empty'],
  ['a'.repeat(201), 'must be at most 200 characters'],
  ['\ud800', 'must not contain a lone surrogate'],
  ['a\0', 'must not contain the character U+0000'],
  [42, 'must be text'],
  [null, 'must be text'],
])('The resource %j is refused: %s.', (value, message) => {
  expect(Resource.safeParse(value).error?.issues.map((issue) => issue.message)).toEqual([message])
})

test('A resource may have 200 characters of four bytes, and its streams keep within an index of PostgreSQL.', () => {
  const longest = '\u{10ffff}'.repeat(200)
  expect(Resource.safeParse(longest).success).toBe(true)
  const id = 'i'.repeat(64)
  const ids = { idpId: id, group: longest, projectId: id, projectOrgId: id, userId: longest }
  for (const on of [longest, '+'.repeat(200)])
    for (const type of ['user_grant', 'role_mapping'] as const) {
      const stream = aggregates[type].stream(id, { ...ids, resource: on })
      expect(new TextEncoder().encode(stream).length).toBeLessThan(2600)
    }
})
