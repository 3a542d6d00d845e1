import { expect, test } from 'vitest'
import { EVENT_TYPES, kinds } from '../../../src/domain/kinds.js'
import { kindOf } from '../../../src/projections/events/kind-of.js'

test.each(EVENT_TYPES)('%s is an event of the kind that its type begins with.', (type) => {
  const [first] = type.split('.')
  expect(kindOf(type)).toBe(Object.values(kinds).find((kind) => kind.type === first))
})

test.each(['project.moved', 'constructor', 'project'])('%s is an event of no kind.', (type) => {
  expect(() => kindOf(type)).toThrow(new RangeError(`There is no event ${type}`))
})
