import type {
  ProjectRoleAdded,
  ProjectRoleEvent,
  ProjectRoleUpdated,
} from '../../../domain/project-role/events.js'
import { ProjectId, RoleKey } from '../../../domain/values.js'
import type { ProjectRole } from '../../../ports/read-model.js'
import { projectAdded } from './project.js'
import { type Sample, SORT_FIELDS_OF_ALL } from './sample.js'

/** The name and the group of a role; its key and none if they are absent. */
type Shown = Partial<Pick<ProjectRole, 'displayName' | 'group'>>

const idsOf = (projectId: string, roleKey: string) => ({
  projectId: ProjectId.parse(projectId),
  roleKey: RoleKey.parse(roleKey),
})

/** A role is added. */
export const roleAdded = (
  projectId: string,
  roleKey: string,
  { displayName = roleKey, group = '' }: Shown = {},
): ProjectRoleAdded => ({
  type: 'project_role.added',
  data: { ...idsOf(projectId, roleKey), displayName, group },
})

/** A role gets another name or group. */
export const roleUpdated = (
  projectId: string,
  roleKey: string,
  shown: Shown,
): ProjectRoleUpdated => ({
  type: 'project_role.updated',
  data: roleAdded(projectId, roleKey, shown).data,
})

/** A role is removed. */
export const roleRemoved = (projectId: string, roleKey: string): ProjectRoleEvent => ({
  type: 'project_role.removed',
  data: idsOf(projectId, roleKey),
})

const role = idsOf('portal', 'editor')
const shown = { displayName: 'Chief editor', group: 'content' }
const added = { ...role, displayName: 'editor', group: '', state: 'active' }

/** Samples of roles. */
export const projectRoleSample: Sample<'project_role'> = {
  added: (id, name, projectId = 'portal') =>
    roleAdded(projectId, `${name}-${id}`, { displayName: name, group: [...name][0] ?? '' }),
  deactivated: undefined,
  within: { projectId: 'portal' },
  scenario: {
    ref: { type: 'project_role', ...role },
    steps: [
      [roleAdded('portal', 'editor'), added],
      [roleUpdated('portal', 'editor', shown), shown],
      [roleRemoved('portal', 'editor')],
      [roleAdded('portal', 'editor'), added],
    ],
    others: [
      ['acme', projectAdded('portal')],
      ['acme', roleAdded('portal', 'reader')],
      ['other', projectAdded('portal')],
      ['other', roleAdded('portal', 'editor')],
    ],
  },
  sortFields: {
    projectId: (row) => row.projectId,
    roleKey: (row) => row.roleKey,
    displayName: (row) => row.displayName,
    group: (row) => row.group,
    ...SORT_FIELDS_OF_ALL,
  },
  filterFields: ['roleKey', 'displayName', 'group', 'state'],
  identity: 'roleKey',
  name: 'displayName',
}
