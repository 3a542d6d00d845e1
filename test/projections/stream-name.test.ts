import { expect, test } from 'vitest'
import type { ObjectRef } from '../../src/domain/values.js'
import { organizationIn, parseStreamName, streamOf } from '../../src/projections/stream-name.js'

const refs: readonly ObjectRef[] = [
  { type: 'identity_provider', idpId: 'google-1' },
  { type: 'project', id: 'a-b:c' },
  { type: 'project_role', projectId: 'portal', roleKey: 'editor' },
  { type: 'project_role', projectId: 'portal', roleKey: '+a-b+c\n😀/' },
]

test.each(refs)('The stream of $type can be read back.', (ref) => {
  const stream = streamOf('acme-eu', ref)

  expect(parseStreamName(stream)).toEqual({ orgId: 'acme-eu', ref })
  expect(organizationIn(stream)).toBe('acme-eu')
})

test.each([
  'order-acme+1',
  'project-acme',
  'project-+portal',
  'project-acme+portal+more',
  'project--acme+portal',
  'project_role-acme+portal',
  'project_role-acme+portal+',
  'project_role-acme+portal+\0',
  'xproject-acme+portal',
  '',
])('%j is the name of no object.', (stream) => {
  expect(parseStreamName(stream)).toBeUndefined()
})
