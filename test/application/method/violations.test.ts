import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import {
  date,
  eventTypes,
  mayBeLeftOut,
  pageSize,
  parse,
  position,
  readInput,
} from '../../../src/application/method/input.js'
import { onlyOnce, refuseItems } from '../../../src/domain/values.js'

const violationsOf = (schema: z.ZodMiniType, value: unknown) => {
  const parsed = parse(schema, value)
  return parsed.isErr() ? parsed.error.violations : []
}

const Row = z.strictObject({ id: z.string({ error: 'must be text' }) })

describe('The violations of an input', () => {
  it('name the path of each malformed field', () => {
    const schema = z.strictObject({ rows: z.array(Row) })
    expect(violationsOf(schema, { rows: [{ id: 'a' }, { id: 1 }], more: true })).toEqual([
      { field: 'rows[1].id', description: 'must be text' },
      { field: 'more', description: 'is not a known field' },
    ])
    expect(violationsOf(schema, { rows: [{ id: 'a', more: 1 }] })).toEqual([
      { field: 'rows[0].more', description: 'is not a known field' },
    ])
  })

  it('say that a value that is not an object must be one', () => {
    expect(violationsOf(Row, 'text')).toEqual([{ field: '', description: 'must be an object' }])
  })

  it('are in English where a schema has no message of its own', () => {
    expect(violationsOf(z.array(z.string()), 5)).toEqual([
      { field: '', description: 'Invalid input: expected array, received number' },
    ])
  })

  it('are at most a hundred: of unknown fields, and of all together', () => {
    const many = Object.fromEntries(Array.from({ length: 150 }, (_, n) => [`f${n}`, 1]))
    expect(violationsOf(Row, { id: 'a', ...many })).toHaveLength(100)
    const two = z.strictObject({ one: Row, other: Row })
    expect(
      violationsOf(two, { one: { id: 'a', ...many }, other: { id: 'a', ...many } }),
    ).toHaveLength(100)
  })

  it('say that a field must be left out instead of undefined', () => {
    const schema = z.strictObject({ at: mayBeLeftOut(z.string({ error: 'must be text' })) })
    for (const value of [{}, { at: 'now' }]) expect(violationsOf(schema, value)).toEqual([])
    expect(violationsOf(schema, { at: undefined })).toEqual([
      {
        field: 'at',
        description: 'must not be undefined: leave the field out, or give a value',
      },
    ])
  })

  it('cut off the name of an unknown field, to well-formed text', () => {
    const name = `a${'\uD83D\uDE00'.repeat(300)}`
    const [violation] = violationsOf(Row, { id: 'a', [name]: 1 })
    expect(violation?.field).toBe(`a${'\uD83D\uDE00'.repeat(99)}\uFFFD`)
  })
})

describe('The items of a list', () => {
  it('are refused where an earlier item has the same identity', () => {
    const schema = z.array(Row).check(onlyOnce(({ id }) => id, ['id']))
    const rows = ['a', 'b', 'a', 'A', 'a'].map((id) => ({ id }))
    expect(violationsOf(schema, rows)).toEqual([
      { field: '[2].id', description: 'must not appear twice' },
      { field: '[4].id', description: 'must not appear twice' },
    ])
    expect(violationsOf(schema, rows.slice(0, 2))).toEqual([])
  })

  it('are reported up to the hundredth', () => {
    let most = 0
    const wrong = refuseItems<number>({ path: [], message: 'is wrong' }, () => {
      let checked = 0
      return () => {
        most = Math.max(most, ++checked)
        return true
      }
    })
    const schema = z.array(z.number()).check(wrong)
    expect(
      violationsOf(
        schema,
        Array.from({ length: 1_000 }, (_, n) => n),
      ),
    ).toHaveLength(100)
    expect(most).toBe(100)
  })
})

describe('A bound', () => {
  const AN_INTEGER = 'must be a whole number from 1 to 1000'
  const A_POSITION = 'must be a bigint from 0 to 2^64 - 1'

  it.each([
    [pageSize, 0, 'must be at least 1'],
    [pageSize, 1001, 'must be at most 1000'],
    [pageSize, 1.5, AN_INTEGER],
    [pageSize, '1', AN_INTEGER],
    [position, 1, A_POSITION],
    [position, -1n, A_POSITION],
    [position, 2n ** 64n, A_POSITION],
    [date, '2024-05-06', 'must be a valid Date'],
    [date, new Date(Number.NaN), 'must be a valid Date'],
    [eventTypes, [], 'must have at least 1 item'],
    [eventTypes, Array(101).fill('project.added'), 'must have at most 100 items'],
    [eventTypes, ['project.exploded'], 'must be an event type'],
  ])('is described where it is broken: %# %o', (schema, value, description) => {
    const violations = violationsOf(schema, value)
    expect([...new Set(violations.map((violation) => violation.description))]).toEqual([
      description,
    ])
  })

  it('includes its ends', () => {
    for (const [schema, value] of [
      [pageSize, 1],
      [pageSize, 1000],
      [position, 0n],
      [position, 2n ** 64n - 1n],
      [eventTypes, Array(100).fill('project.added')],
    ] as const)
      expect(parse<z.ZodMiniType>(schema, value)._unsafeUnwrap()).toEqual(value)
    expect(parse(pageSize, undefined)._unsafeUnwrap()).toBe(100)
  })
})

describe('An input', () => {
  const throwing = {
    get id(): string {
      throw new Error('not to be read')
    },
  }

  it('is parsed, with its violations where it has some', () => {
    expect(readInput(Row, { id: 'a' })._unsafeUnwrap()).toEqual({ id: 'a' })
    expect(readInput(Row, { id: 1 })._unsafeUnwrapErr()()).toEqual({
      kind: 'InvalidArgument',
      violations: [{ field: 'id', description: 'must be text' }],
    })
  })

  it('is malformed when a getter throws', () => {
    expect(readInput(Row, throwing)._unsafeUnwrapErr()()).toEqual({
      kind: 'InvalidArgument',
      violations: [
        { field: '', description: 'must be readable: a property or a method of it throws' },
      ],
    })
  })

  it.each([
    [[1, 'a'], { id: 'a' }],
    [['a', 1], { id: 'a' }],
    [[1, 1], undefined],
  ])('that changes while it is read counts as it was checked: %j', (answers, checked) => {
    let reads = 0
    const changing = {
      get id() {
        return answers[Math.min(reads++, answers.length - 1)]
      },
    }
    expect(readInput(Row, changing).unwrapOr(undefined)).toEqual(checked)
  })

  it('is malformed when it cannot be read a second time', () => {
    let reads = 0
    const once = {
      get id() {
        if (reads++ > 0) throw new Error('not to be read again')
        return 1
      },
    }
    expect(readInput(Row, once)._unsafeUnwrapErr()().violations).toMatchObject([
      { description: 'must be readable: a property or a method of it throws' },
    ])
  })
})
