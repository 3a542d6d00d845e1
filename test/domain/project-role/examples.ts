import type {
  AddProjectRole,
  PatchProjectRole,
  RemoveProjectRole,
  UpdateProjectRole,
} from '../../../src/domain/project-role/command-schemas.js'
import type { ProjectRoleEvent } from '../../../src/domain/project-role/events.js'
import { ProjectId, RoleKey } from '../../../src/domain/values.js'

/** Names the role of these examples. */
export const id = { projectId: ProjectId.parse('portal'), roleKey: RoleKey.parse('editor') }

export const editor = {
  ...id,
  displayName: 'Editor',
  group: 'content',
  permissions: ['article.edit', 'article.read'],
}
export const author = { ...id, displayName: 'Author', group: 'text', permissions: ['article.read'] }

export const addEditor: AddProjectRole = { type: 'AddProjectRole', data: editor }
export const updateToAuthor: UpdateProjectRole = { type: 'UpdateProjectRole', data: author }
export const patchEditor: PatchProjectRole = {
  type: 'PatchProjectRole',
  data: { ...id, displayName: 'Author', group: 'text', permissions: ['article.read'] },
}
export const removeEditor: RemoveProjectRole = { type: 'RemoveProjectRole', data: id }

export const editorAdded: ProjectRoleEvent = { type: 'project_role.added', data: editor }
export const authorAdded: ProjectRoleEvent = { type: 'project_role.added', data: author }
export const updatedToAuthor: ProjectRoleEvent = { type: 'project_role.updated', data: author }
export const editorRemoved: ProjectRoleEvent = { type: 'project_role.removed', data: id }
