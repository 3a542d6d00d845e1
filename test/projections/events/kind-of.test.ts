import { expect, test } from 'vitest'
import { EVENT_TYPES, kinds } from '../../../src/domain/kinds.js'
import type { ObjectRef } from '../../../src/domain/values.js'
import { kindOf, organizationIn, streamOf } from '../../../src/projections/events/kind-of.js'

test.each(EVENT_TYPES)('%s is an event of the kind that its type begins with.', (type) => {
  const [first] = type.split('.')
  expect(kindOf(type)).toBe(Object.values(kinds).find((kind) => kind.type === first))
})

test.each(['project.moved', 'constructor', 'project'])('%s is an event of no kind.', (type) => {
  expect(() => kindOf(type)).toThrow(new RangeError(`There is no event ${type}`))
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
