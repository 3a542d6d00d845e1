import { expect, test } from 'vitest'
import { EVENT_TYPES } from '../../../src/domain/aggregates.js'
import { isOfObject } from '../../../src/projections/read-events.js'
import { identityField, viewFields } from '../../../src/projections/view-fields.js'
import { SAMPLES, SCENARIOS, TYPES } from '../../../src/testing/read-model/samples.js'

test('The scenarios have events of every type.', () => {
  const types = SCENARIOS.flatMap(({ steps }) => steps.map(([{ type }]) => type))
  const ofObjects = EVENT_TYPES.filter((type) => isOfObject({ type }))
  expect(new Set(types)).toEqual(new Set(ofObjects))
})

test.each(TYPES)(
  'The sample of a type has all fields that %s can be sorted and filtered by.',
  (type) => {
    const fields = Object.entries(viewFields[type])
    const filterable = fields.filter(([, field]) => field.filterable)
    const { sortFields, filterFields, identity } = SAMPLES[type]
    expect(sortFields).toEqual(fields.map(([name]) => name))
    expect(filterFields).toEqual(filterable.map(([name]) => name))
    expect(identity).toBe(identityField[type])
  },
)
