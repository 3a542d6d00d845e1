import type {
  ProjectGrantAdded,
  ProjectGrantEvent,
  ProjectGrantUpdated,
} from '../../../domain/project-grant/events.js'
import { OrgId, ProjectId, RoleKey } from '../../../domain/values.js'
import { projectAdded } from './project.js'
import { roleAdded } from './project-role.js'
import { type Sample, SORT_FIELDS_OF_ALL } from './sample.js'

const idsOf = (projectId: string, grantedOrgId: string) => ({
  projectId: ProjectId.parse(projectId),
  grantedOrgId: OrgId.parse(grantedOrgId),
})

/** A project is granted with roles. */
export const projectGrantAdded = (
  projectId: string,
  grantedOrgId: string,
  roleKeys: readonly string[],
): ProjectGrantAdded => ({
  type: 'project_grant.added',
  data: {
    ...idsOf(projectId, grantedOrgId),
    roles: roleKeys.map((roleKey) => ({ roleKey: RoleKey.parse(roleKey), roleSince: 1 })),
  },
})

/** The roles of a grant are replaced. */
export const projectGrantUpdated = (
  projectId: string,
  grantedOrgId: string,
  roleKeys: readonly string[],
): ProjectGrantUpdated => ({
  type: 'project_grant.updated',
  data: projectGrantAdded(projectId, grantedOrgId, roleKeys).data,
})

const eventOf =
  (type: 'project_grant.deactivated' | 'project_grant.reactivated' | 'project_grant.removed') =>
  (projectId: string, grantedOrgId: string): ProjectGrantEvent => ({
    type,
    data: idsOf(projectId, grantedOrgId),
  })

/** The roles that the organization gave do not count. */
export const projectGrantDeactivated = eventOf('project_grant.deactivated')
/** They count again. */
export const projectGrantReactivated = eventOf('project_grant.reactivated')
/** A grant is removed. */
export const projectGrantRemoved = eventOf('project_grant.removed')

const grant = idsOf('portal', 'globex')
const added = { ...grant, projectOrgId: 'acme', roleKeys: ['reader', 'editor'], state: 'active' }

/** Samples of grants of projects. */
export const projectGrantSample: Sample<'project_grant'> = {
  added: (id, name, projectId = 'portal') => projectGrantAdded(projectId, id, [`${name}-role`]),
  deactivated: (id) => projectGrantDeactivated('portal', id),
  within: { projectId: 'portal' },
  scenario: {
    ref: { type: 'project_grant', ...grant },
    steps: [
      [projectGrantAdded('portal', 'globex', ['reader', 'editor']), added],
      [projectGrantDeactivated('portal', 'globex'), { state: 'inactive' }],
      [
        projectGrantUpdated('portal', 'globex', ['author', 'editor']),
        { roleKeys: ['author', 'editor'] },
      ],
      [projectGrantReactivated('portal', 'globex'), { state: 'active' }],
      [projectGrantRemoved('portal', 'globex')],
      [projectGrantAdded('portal', 'globex', ['reader', 'editor']), added],
    ],
    others: [
      ['acme', projectAdded('portal')],
      ['acme', roleAdded('portal', 'editor')],
      ['acme', projectGrantAdded('portal', 'initech', ['editor'])],
      ['other', projectAdded('portal')],
      ['other', projectGrantAdded('portal', 'globex', ['editor'])],
    ],
  },
  sortFields: {
    projectId: (row) => row.projectId,
    projectOrgId: (row) => row.projectOrgId,
    grantedOrgId: (row) => row.grantedOrgId,
    ...SORT_FIELDS_OF_ALL,
  },
  filterFields: ['grantedOrgId', 'state'],
  identity: 'grantedOrgId',
  name: undefined,
}
