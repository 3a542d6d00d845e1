import type {
  AddUserGrant,
  AddUserGrantRoles,
  DeactivateUserGrant,
  ReactivateUserGrant,
  RemoveUserGrant,
  RemoveUserGrantRoles,
  UpdateUserGrant,
} from '../../../src/domain/user-grant/command-schemas.js'
import type { UserGrantEvent, UserGrantRole } from '../../../src/domain/user-grant/events.js'
import { OrgId, ProjectId, RoleKey, UserId } from '../../../src/domain/values.js'

/** Names the grant of these examples: of a project that another organization owns. */
export const id = {
  userId: UserId.parse('anna+1@globex.example'),
  projectOrgId: OrgId.parse('acme'),
  projectId: ProjectId.parse('portal'),
}

/** A role in a grant, until `expiresAt` if it is given. */
export const role = (roleKey: string, expiresAt?: string): UserGrantRole => ({
  roleKey: RoleKey.parse(roleKey),
  ...(expiresAt !== undefined && { expiresAt }),
  roleSince: 1,
  grantSince: 2,
})

export const newYear = '2027-01-01T00:00:00.000Z'

export const editorOnly = { ...id, roles: [role('editor')] }
export const viewerUntilNewYear = { ...id, roles: [role('viewer', newYear)] }
export const editorAndViewer = { ...id, roles: [role('editor'), role('viewer', newYear)] }

export const addGrant: AddUserGrant = { type: 'AddUserGrant', data: editorOnly }
export const updateToBoth: UpdateUserGrant = { type: 'UpdateUserGrant', data: editorAndViewer }
export const addViewer: AddUserGrantRoles = { type: 'AddUserGrantRoles', data: viewerUntilNewYear }
export const takeEditor: RemoveUserGrantRoles = {
  type: 'RemoveUserGrantRoles',
  data: { ...id, roleKeys: [RoleKey.parse('editor')] },
}
export const deactivate: DeactivateUserGrant = { type: 'DeactivateUserGrant', data: id }
export const reactivate: ReactivateUserGrant = { type: 'ReactivateUserGrant', data: id }
export const remove: RemoveUserGrant = { type: 'RemoveUserGrant', data: id }

export const added: UserGrantEvent = { type: 'user_grant.added', data: editorOnly }
export const updatedToBoth: UserGrantEvent = { type: 'user_grant.updated', data: editorAndViewer }
export const updatedToViewer: UserGrantEvent = {
  type: 'user_grant.updated',
  data: viewerUntilNewYear,
}
export const deactivated: UserGrantEvent = { type: 'user_grant.deactivated', data: id }
export const reactivated: UserGrantEvent = { type: 'user_grant.reactivated', data: id }
export const removed: UserGrantEvent = { type: 'user_grant.removed', data: id }
