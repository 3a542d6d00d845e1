import { expect, test } from 'vitest'
import type { ObjectRef } from '../../../src/domain/values.js'
import { ownerOf, rowKeyOf } from '../../../src/projections/rows.js'

const refs: readonly ObjectRef[] = [
  { type: 'identity_provider', idpId: 'google-1' },
  { type: 'project', id: 'a-b:c' },
  { type: 'project_role', projectId: 'portal', roleKey: 'editor' },
  { type: 'project_role', projectId: 'portal', roleKey: '+a-b+c\n😀/' },
]

test.each(refs)('The row key of $type names its organization.', (ref) => {
  expect(ownerOf(rowKeyOf('acme-eu', ref).scope)).toBe('acme-eu')
})
