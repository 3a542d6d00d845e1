import { expect, test } from 'vitest'
import { namer } from '../../../../src/adapters/postgres/read-model.js'

test('A text keeps its name, which has 7 letters at most.', () => {
  const named = namer()
  const names = ['SELECT 1', 'SELECT 2', 'SELECT 1'].map(named)
  expect(names[0]).toMatch(/^=\w{1,6}$/)
  expect(names[1]).toMatch(/^=\w{1,6}$/)
  expect(names[0]).not.toBe(names[1])
  expect(names[2]).toBe(names[0])
})

test('Of two texts with the same hash, only the first has a name.', () => {
  const texts = new Map<string, string>()
  for (let n = 0; ; n++) {
    const text = `SELECT ${n}`
    const name = `${namer()(text)}`
    const other = texts.get(name)
    if (other !== undefined) {
      const named = namer()
      expect([named(other), named(text), named(other)]).toEqual([name, undefined, name])
      return
    }
    texts.set(name, text)
  }
})

test('So many texts have names that a connection does not fill with plans.', () => {
  const named = namer()
  const names = Array.from({ length: 1_000 }, (_, n) => named(`SELECT ${n}`))
  expect(names.filter((name) => name !== undefined)).toHaveLength(64)
  expect(named('SELECT 0')).toBe(names[0])
})
