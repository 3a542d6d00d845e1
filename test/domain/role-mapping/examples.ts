import type { RoleMappingEvent } from '../../../src/domain/role-mapping/events.js'
import { GroupName, IdpId, OrgId, ProjectId, RoleKey } from '../../../src/domain/values.js'

export const id = {
  idpId: IdpId.parse('google'),
  group: GroupName.parse('staff+1'),
  projectId: ProjectId.parse('portal'),
  projectOrgId: OrgId.parse('acme'),
}

export const editor = { roleKey: RoleKey.parse('editor'), roleSince: 3, grantSince: 6 }
export const viewer = { roleKey: RoleKey.parse('viewer'), roleSince: 1 }

export const added = {
  type: 'role_mapping.added',
  data: { ...id, roles: [editor], validFor: 24 },
} as const satisfies RoleMappingEvent

export const updatedToBoth = {
  type: 'role_mapping.updated',
  data: { ...id, roles: [editor, viewer] },
} as const satisfies RoleMappingEvent

export const removed = { type: 'role_mapping.removed', data: id } as const
