import { describe, expect, it } from 'vitest'
import { changedFields, changesNothing, patched } from '../../src/domain/message.js'

describe('changedFields', () => {
  it('names the changed fields, in the order of the new values', () => {
    const previous = { a: 1, b: 'x', c: true }
    expect(changedFields(previous, { c: false, b: 'x', a: 2 })).toEqual(['c', 'a'])
    expect(changedFields(previous, { a: 1, b: 'x', c: true })).toEqual([])
  })

  it('names fields that the previous values have not', () => {
    expect(changedFields({}, { a: 1, b: undefined })).toEqual(['a'])
  })

  it('does not look at fields that the new values have not', () => {
    expect(changedFields({ a: 1, b: 2 } as { a: number }, { a: 1 })).toEqual([])
  })

  it('distinguishes values of different types', () => {
    const values = [0, '', '0', false, null, undefined, 1, '1', true]
    for (const one of values)
      for (const other of values)
        expect(changedFields({ a: one }, { a: other })).toEqual(one === other ? [] : ['a'])
  })

  it.each([
    { previous: [], next: [], changed: false },
    { previous: ['a', 'b'], next: ['a', 'b'], changed: false },
    { previous: ['a', 'b'], next: ['b', 'a'], changed: true },
    { previous: ['a'], next: ['a', 'a'], changed: true },
    { previous: ['a', 'a'], next: ['a'], changed: true },
    { previous: ['a'], next: [], changed: true },
    { previous: [], next: ['a'], changed: true },
    { previous: ['a'], next: 'a', changed: true },
    { previous: 'a', next: ['a'], changed: true },
    { previous: undefined, next: [], changed: true },
    { previous: { length: 0 }, next: [], changed: true },
    { previous: [], next: { length: 0 }, changed: true },
    { previous: {}, next: 1, changed: true },
    { previous: 1, next: {}, changed: true },
    { previous: {}, next: null, changed: true },
    { previous: null, next: {}, changed: true },
    { previous: [], next: {}, changed: true },
    { previous: ['a'], next: { 0: 'a' }, changed: true },
    { previous: { a: 1, b: 2 }, next: { b: 2, a: 1 }, changed: false },
    { previous: { a: 1 }, next: { a: 2 }, changed: true },
  ])('compares lists item by item: $previous, $next', ({ previous, next, changed }) => {
    expect(changedFields({ a: previous }, { a: next })).toEqual(changed ? ['a'] : [])
  })
})

describe('changesNothing', () => {
  it('holds when no field has another value', () => {
    expect(changesNothing({ a: 1, b: ['x'] }, { a: 1, b: ['x'] })).toBe(true)
    expect(changesNothing({ a: 1 }, {})).toBe(true)
    expect(changesNothing({ a: 1, b: ['x'] }, { a: 1, b: ['y'] })).toBe(false)
  })
})

describe('patched', () => {
  it('takes the values that are given, false and empty ones too', () => {
    const fields = { a: 'x', b: true, c: ['y'] }
    expect(patched(fields, { a: '', b: false, c: [] })).toEqual({ a: '', b: false, c: [] })
  })

  it('keeps the others; an undefined value counts as absent', () => {
    const fields = { a: 1, b: 2, c: 3 }
    expect(patched(fields, { b: 4, c: undefined })).toStrictEqual({ a: 1, b: 4, c: 3 })
    expect(fields).toEqual({ a: 1, b: 2, c: 3 })
  })
})
