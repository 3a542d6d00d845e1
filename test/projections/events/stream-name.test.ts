import { expect, test } from 'vitest'
import type { ObjectRef } from '../../../src/domain/values.js'
import { organizationIn, streamOf } from '../../../src/projections/events/stream-name.js'

const refs: readonly ObjectRef[] = [
  { type: 'identity_provider', idpId: 'google-1' },
  { type: 'project', id: 'a-b:c' },
  { type: 'project_role', projectId: 'portal', roleKey: 'editor' },
  { type: 'project_role', projectId: 'portal', roleKey: '+a-b+c\n😀/' },
]

test.each(refs)('The stream of $type tells its organization.', (ref) => {
  expect(organizationIn(streamOf('acme-eu', ref))).toBe('acme-eu')
})
