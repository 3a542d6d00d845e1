import { expect, test } from 'vitest'
import type { ObjectRef } from '../../../src/domain/values.js'
import { objectAt, ownerOf, rowKeyOf } from '../../../src/projections/rows.js'

const refs: readonly ObjectRef[] = [
  { type: 'identity_provider', idpId: 'google-1' },
  { type: 'project', id: 'a-b:c' },
  { type: 'project_role', projectId: 'portal', roleKey: 'editor' },
  { type: 'project_role', projectId: 'portal', roleKey: '+a-b+c\n😀/' },
]

test.each(refs)('The row key of $type can be read back.', (ref) => {
  const rowKey = rowKeyOf('acme-eu', ref)

  expect(objectAt(`${ref.type}.removed`, rowKey)).toEqual(ref)
  expect(ownerOf(rowKey.scope)).toBe('acme-eu')
})
