import type {
  AddProjectGrant,
  DeactivateProjectGrant,
  ReactivateProjectGrant,
  RemoveProjectGrant,
  UpdateProjectGrant,
} from '../../../src/domain/project-grant/command-schemas.js'
import type { ProjectGrantEvent } from '../../../src/domain/project-grant/events.js'
import { OrgId, ProjectId, RoleKey } from '../../../src/domain/values.js'

/** Names the grant of these examples. */
export const id = { projectId: ProjectId.parse('portal'), grantedOrgId: OrgId.parse('globex') }

/** A role in a grant, by the version of the event that began its life. */
export const role = (roleKey: string, roleSince = 1) => ({
  roleKey: RoleKey.parse(roleKey),
  roleSince,
})

export const editorOnly = { ...id, roles: [role('editor')] }
export const editorAndViewer = { ...id, roles: [role('editor'), role('viewer', 4)] }

export const addGrant: AddProjectGrant = { type: 'AddProjectGrant', data: editorOnly }
export const widen: UpdateProjectGrant = { type: 'UpdateProjectGrant', data: editorAndViewer }
export const deactivate: DeactivateProjectGrant = { type: 'DeactivateProjectGrant', data: id }
export const reactivate: ReactivateProjectGrant = { type: 'ReactivateProjectGrant', data: id }
export const remove: RemoveProjectGrant = { type: 'RemoveProjectGrant', data: id }

export const added: ProjectGrantEvent = { type: 'project_grant.added', data: editorOnly }
export const widened: ProjectGrantEvent = { type: 'project_grant.updated', data: editorAndViewer }
export const narrowed: ProjectGrantEvent = { type: 'project_grant.updated', data: editorOnly }
export const deactivated: ProjectGrantEvent = { type: 'project_grant.deactivated', data: id }
export const reactivated: ProjectGrantEvent = { type: 'project_grant.reactivated', data: id }
export const removed: ProjectGrantEvent = { type: 'project_grant.removed', data: id }
