import { expect, test } from 'vitest'
import type { ObjectRef } from '../../src/domain/values.js'
import { objectAt, ownerOf, placeOf } from '../../src/projections/place.js'

const refs: readonly ObjectRef[] = [
  { type: 'identity_provider', idpId: 'google-1' },
  { type: 'project', id: 'a-b:c' },
  { type: 'project_role', projectId: 'portal', roleKey: 'editor' },
  { type: 'project_role', projectId: 'portal', roleKey: '+a-b+c\n😀/' },
]

test.each(refs)('The place of $type can be read back.', (ref) => {
  const place = placeOf('acme-eu', ref)

  expect(objectAt(`${ref.type}.removed`, place)).toEqual(ref)
  expect(ownerOf(place.scope)).toBe('acme-eu')
})
