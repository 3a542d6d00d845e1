import { ROLES_TO_GIVE } from './grant-samples.js'
import { eventOf, idpAdded, type Sample } from './object-samples.js'

// Each function makes the event of its name: of mappings of groups to roles and of memberships.

/** Names a mapping. */
export interface MappingIds {
  readonly idpId: string
  readonly group: string
  readonly projectId: string
  readonly projectOrgId: string
  readonly resource?: string
}

interface Terms {
  readonly validFor?: number
}

const mapped = (ids: MappingIds, roleKeys: readonly string[], terms: Terms) => ({
  ...ids,
  roles: roleKeys.map((roleKey) => ({ roleKey, roleSince: 1 })),
  ...terms,
})

export const mappingAdded = (ids: MappingIds, roleKeys: readonly string[], terms: Terms = {}) =>
  eventOf('role_mapping.added', mapped(ids, roleKeys, terms))
export const mappingUpdated = (ids: MappingIds, roleKeys: readonly string[], terms: Terms = {}) =>
  eventOf('role_mapping.updated', mapped(ids, roleKeys, terms))
export const mappingRemoved = (ids: MappingIds) => eventOf('role_mapping.removed', ids)

/** A provider reports the groups of a user. */
export const reported = (idpId: string, userId: string, groups: readonly string[]) =>
  eventOf('membership.reported', { idpId, userId, groups })
export const membershipRemoved = (idpId: string, userId: string) =>
  eventOf('membership.removed', { idpId, userId })

const mapping = { idpId: 'google', group: 'staff+1', projectId: 'portal', projectOrgId: 'owner' }

/** The mapping of a group, of one of several projects. */
const sampleMapping = (group: string): MappingIds => ({
  idpId: group < 'id-3' ? 'shop' : 'portal',
  group,
  projectId: ['id-1', 'id-4', 'id-6'].includes(group) ? 'shop' : 'portal',
  projectOrgId: group < 'id-5' ? 'owner' : 'owner2',
})

export const roleMappingSample: Sample<'role_mapping'> = {
  added: (id, name) => mappingAdded(sampleMapping(id), [`${name}-role`]),
  scenario: {
    ref: { type: 'role_mapping', ...mapping },
    steps: [
      [
        mappingAdded(mapping, ['reader', 'editor'], { validFor: 24 }),
        { ...mapping, roleKeys: ['reader', 'editor'], validFor: 24, state: 'active' },
      ],
      [mappingUpdated(mapping, ['author'], { validFor: 1 }), { roleKeys: ['author'], validFor: 1 }],
      [mappingUpdated(mapping, ['author']), { validFor: undefined }],
      [mappingUpdated(mapping, ['author', 'editor']), { roleKeys: ['author', 'editor'] }],
      [mappingRemoved(mapping)],
      [mappingAdded(mapping, ['editor']), { ...mapping, roleKeys: ['editor'], state: 'active' }],
    ],
    others: [
      ...ROLES_TO_GIVE,
      ['acme', idpAdded('google')],
      ['acme', idpAdded('okta')],
      ['other', idpAdded('google')],
      ['acme', mappingAdded({ ...mapping, group: 'staff+2' }, ['reader'])],
      ['acme', mappingAdded({ ...mapping, projectOrgId: 'owner2' }, ['reader'])],
      ['acme', mappingAdded({ ...mapping, projectId: 'portal2' }, ['reader'])],
      ['acme', mappingAdded({ ...mapping, idpId: 'okta' }, ['reader'])],
      ['other', mappingAdded(mapping, ['reader'])],
    ],
  },
}

export const membershipSample: Sample<'membership'> = {
  added: (id, name) => reported('portal', id, [`${name}-group`]),
  scenario: {
    ref: { type: 'membership', idpId: 'google', userId: 'user+1' },
    steps: [
      [
        reported('google', 'user+1', ['admins', 'staff']),
        { idpId: 'google', userId: 'user+1', groups: ['admins', 'staff'], state: 'active' },
      ],
      [reported('google', 'user+1', ['staff']), { groups: ['staff'] }],
      [reported('google', 'user+1', ['staff']), {}],
      [reported('google', 'user+1', []), { groups: [] }],
      [membershipRemoved('google', 'user+1')],
      [
        reported('google', 'user+1', ['staff']),
        { idpId: 'google', userId: 'user+1', groups: ['staff'], state: 'active' },
      ],
    ],
    others: [
      ['acme', idpAdded('google')],
      ['acme', idpAdded('okta')],
      ['other', idpAdded('google')],
      ['acme', reported('google', 'user+2', ['staff'])],
      ['acme', reported('okta', 'user+1', ['staff'])],
      ['other', reported('google', 'user+1', ['staff'])],
    ],
  },
}
