import { expect, test } from 'vitest'
import { aggregates, EVENT_TYPES } from '../../../src/domain/aggregates.js'
import { type EventSchema, eventTypesOf } from '../../../src/domain/message.js'
import type { ObjectRef } from '../../../src/domain/values.js'
import {
  aggregateOf,
  isOfObject,
  organizationIn,
  streamDefinitionOf,
  streamOf,
} from '../../../src/projections/read-events.js'

test.each(EVENT_TYPES.filter((type) => isOfObject({ type })))(
  '%s is an event of the aggregate that its type begins with.',
  (type) => {
    const [first] = type.split('.')
    expect(aggregateOf(type)).toBe(
      Object.values(aggregates).find((aggregate) => aggregate.type === first),
    )
  },
)

test.each(['project.moved', 'constructor', 'project'])(
  '%s is an event of no aggregate.',
  (type) => {
    expect(() => aggregateOf(type)).toThrow(new RangeError(`There is no event ${type}`))
  },
)

test.each(EVENT_TYPES)('%s is read by the definition that has it.', (type) => {
  const has = (events: readonly EventSchema[]) =>
    events.some((schema) => eventTypesOf(schema).includes(type))
  expect(has(streamDefinitionOf(type).events)).toBe(true)
  expect(isOfObject({ type })).toBe(!/^(verified_domain|setup_link_token)\./.test(type))
})

test('An event of no object has no aggregate, and one that does not exist is not read.', () => {
  expect(() => aggregateOf('verified_domain.claimed')).toThrow(RangeError)
  expect(() => aggregateOf('setup_link_token.claimed')).toThrow(RangeError)
  expect(() => streamDefinitionOf('project.moved')).toThrow(
    new RangeError('There is no event project.moved'),
  )
})

const refs: readonly ObjectRef[] = [
  { type: 'identity_provider', idpId: 'google-1' },
  { type: 'project', id: 'a-b:c' },
  { type: 'project_role', projectId: 'portal', roleKey: 'editor' },
  { type: 'project_role', projectId: 'portal', roleKey: '+a-b+c\n😀/' },
]

test.each(refs)('The name of the stream of $type holds its organization.', (ref) => {
  expect(organizationIn(streamOf('acme-eu', ref))).toBe('acme-eu')
})
