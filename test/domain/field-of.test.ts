import { expect, it } from 'vitest'
import { fieldOf } from '../../src/domain/values.js'

it('a field is read of any object, its own or not', () => {
  expect(fieldOf({ a: 1 }, 'a')).toBe(1)
  expect(fieldOf(Object.create({ a: 1 }), 'a')).toBe(1)
  expect(fieldOf(['x'], '0')).toBe('x')
  expect(fieldOf({ a: 1 }, 'b')).toBeUndefined()
})

it.each([undefined, null, true, 0, 1n, 'text', Symbol('s'), () => 1])(
  'there is none of %s',
  (value) => {
    expect(fieldOf(value, 'constructor')).toBeUndefined()
    expect(fieldOf(value, 'length')).toBeUndefined()
  },
)
