import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { compiled } from '../../src/domain/message.js'
import {
  isId,
  isRequiredText,
  listOf,
  MAX_REPORTED,
  MAX_SCOPES,
  MAX_TEXT_LENGTH,
  OrgId,
  onlyOnce,
  requiredText,
  SealedSecret,
} from '../../src/domain/values.js'
import { describeId } from './field-laws.js'
import { objections } from './objections.js'

describe('limits', () => {
  it('are those of the specification and of the decisions', () => {
    expect([MAX_TEXT_LENGTH, MAX_SCOPES]).toEqual([200, 100])
  })
})

describe('OrgId', () => {
  const schema = z.object({ data: z.object({ orgId: OrgId }) })
  describeId({ schema, valid: { type: '', data: { orgId: 'acme' } }, field: 'orgId' })
})

describe('SealedSecret', () => {
  it('is never repeated by an objection', () => {
    const canary = 'canary-7f3a'
    for (const value of [[canary], { canary }, new String(canary)])
      expect(String(SealedSecret.safeParse(value).error)).not.toContain('canary')
  })
})

describe('onlyOnce', () => {
  const keys = listOf(z.object({ key: z.string() }), 0, 1_000).check(
    onlyOnce(({ key }: { readonly key: string }) => key, ['key']),
  )

  it('names each item that is there before, up to as many as one error reports', () => {
    const same = (count: number) => new Array(count).fill({ key: 'a' })
    expect(objections(keys, [{ key: 'b' }, ...same(3)])).toEqual([
      '2.key: must not appear twice',
      '3.key: must not appear twice',
    ])
    expect(keys.safeParse(same(2)).error?.issues).toMatchObject([{ code: 'custom' }])
    expect(objections(keys, same(MAX_REPORTED))).toHaveLength(MAX_REPORTED - 1)
    expect(objections(keys, same(MAX_REPORTED + 2))).toHaveLength(MAX_REPORTED)
  })
})

describe('listOf', () => {
  const pairs = listOf(z.string({ error: 'must be text' }), 2, 3)

  it('accepts as many items as it says, bounds included', () => {
    expect(pairs.parse(['a', 'b'])).toEqual(['a', 'b'])
    expect(pairs.parse(['a', 'b', 'c'])).toEqual(['a', 'b', 'c'])
  })

  it('measures before it looks at the items', () => {
    expect(objections(pairs, [1])).toEqual([': must have at least 2 items'])
    expect(objections(pairs, [1, 2, 3, 4])).toEqual([': must have at most 3 items'])
  })

  it('names each wrong item by its index', () => {
    expect(objections(pairs, ['a', 2, null])).toEqual(['1: must be text', '2: must be text'])
  })

  it('accepts only lists', () => {
    for (const value of [null, 'ab', 2, { length: 2 }, new Set(['a', 'b'])])
      expect(objections(pairs, value)).toEqual([': must be a list'])
    expect(objections(pairs, undefined)).toEqual([': is required'])
  })

  describe('with more items than are reported', () => {
    const texts = listOf(z.string({ error: 'must be text' }), 0, 1_000)
    const named = (first: number, count: number) =>
      Array.from({ length: count }, (_, n) => `${first + n}: must be text`)

    it('takes them when all are well-formed', () => {
      const items = Array.from({ length: 150 }, (_, n) => `${n}`)
      expect(texts.parse(items)).toEqual(items)
    })

    it('names the wrong ones wherever they are', () => {
      const items = Array.from({ length: 250 }, (_, n) => (n < 151 ? `${n}` : n))
      expect(objections(texts, items)).toEqual(named(151, 99))
    })

    it('names the first hundred wrong ones', () => {
      const items = Array.from({ length: 250 }, (_, n) => (n < 50 ? `${n}` : n))
      expect(objections(texts, items)).toEqual(named(50, 100))
      expect(objections(texts, items.slice(50, 150))).toEqual(named(0, 100))
    })
  })

  describe.each([
    ['compiled', compiled],
    ['not compiled', <Schema>(schema: Schema) => schema],
  ])('of long lists, %s', (name, made) => {
    let runs = 0
    const counted = z.string().check(z.refine((text) => ++runs > 0 && text !== 'wrong'))
    const grid = made(listOf(listOf(listOf(counted, 0, 200), 0, 200), 0, 200))
    const cube = (last: string) => {
      const items = (count: number) => Array.from({ length: count }, (_, n) => n)
      return items(101).map((x) =>
        items(101).map((y) =>
          items(101).map((z) => (x === 100 && y === 100 && z === 100 ? last : 'text')),
        ),
      )
    }

    it('validates each item once', () => {
      runs = 0
      expect(grid.safeParse(cube('text')).success).toBe(true)
      expect(runs).toBe(101 ** 3)
    })

    it('validates them once more, at most, to say what is wrong', () => {
      runs = 0
      expect(objections(grid, cube('wrong'))).toHaveLength(1)
      expect(runs).toBe(101 ** 3 * (name === 'compiled' ? 2 : 1))
    })
  })

  it('reports at most a hundred wrong items of each list in a list', () => {
    const rows = listOf(listOf(z.string(), 0, 1_000_000), 0, 10)
    const wrong = new Array(1_000_000).fill(1)
    expect(objections(rows, [wrong, [], wrong])).toHaveLength(2 * MAX_REPORTED)
  })

  it('refuses to have items with asynchronous checks', async () => {
    const list = listOf(z.string().check(z.refine(async () => true)), 1, 3)
    await expect(list.safeParseAsync(['a'])).rejects.toThrow(
      new TypeError('A list needs items without async checks'),
    )
  })

  it('copies and freezes its input', () => {
    const given = ['a', 'b']
    const taken = pairs.parse(given)
    given.push('c')
    expect(taken).toEqual(['a', 'b'])
    expect(Object.isFrozen(taken)).toBe(true)
  })
})

describe('a list that may not be empty', () => {
  it('says so in plain words', () => {
    expect(objections(listOf(z.string(), 1, 3), [])).toEqual([': must have at least 1 item'])
  })
})

describe.each([
  ['isId', isId, OrgId, fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._:@~-]{0,64}$/)],
  ['isRequiredText', isRequiredText, requiredText, fc.string({ unit: 'binary' })],
] as const)('%s', (_, isTaken, schema, likely) => {
  it.each([
    ['a', true],
    ['', false],
    ['a'.repeat(201), false],
    ['a\0', false],
    [undefined, false],
    [{}, false],
  ])('says of %j: %s', (value, taken) => {
    expect(isTaken(value)).toBe(taken)
  })

  it('says of any value what the schema says', () => {
    const isSame = (value: unknown) => {
      expect(isTaken(value)).toBe(schema.safeParse(value).success)
    }
    fc.assert(fc.property(fc.oneof(likely, fc.anything()), isSame))
  })
})
