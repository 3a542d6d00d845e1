import type { ProjectAdded, ProjectEvent } from '../../../domain/project/events.js'
import { ProjectId } from '../../../domain/values.js'
import { type Sample, SORT_FIELDS_OF_ALL, type Step } from './sample.js'

/** A project is added. */
export const projectAdded = (id: string, name = 'Portal', check = false): ProjectAdded => ({
  type: 'project.added',
  data: {
    id: ProjectId.parse(id),
    name,
    projectRoleAssertion: true,
    projectRoleCheck: check,
    hasProjectCheck: !check,
    privateLabelingSetting: 'PRIVATE_LABELING_SETTING_UNSPECIFIED',
  },
})

const eventOf =
  (type: 'project.deactivated' | 'project.removed') =>
  (id: string): ProjectEvent => ({ type, data: { id: ProjectId.parse(id) } })

/** A project becomes inactive. */
export const projectDeactivated = eventOf('project.deactivated')

/** A project is removed. */
export const projectRemoved = eventOf('project.removed')

const id = ProjectId.parse('portal')
const settings = {
  name: 'Renamed',
  projectRoleAssertion: false,
  projectRoleCheck: true,
  hasProjectCheck: false,
  privateLabelingSetting: 'PRIVATE_LABELING_SETTING_ENFORCE_PROJECT_RESOURCE_OWNER_POLICY',
} as const

/** Events of the project `portal` that change it and do not remove it. */
export const PROJECT_CHANGES: readonly Step[] = [
  [{ type: 'project.updated', data: { id, ...settings } }, settings],
  [projectDeactivated(id), { state: 'inactive' }],
  [{ type: 'project.reactivated', data: { id } }, { state: 'active' }],
]

/** Samples of projects. */
export const projectSample: Sample<'project'> = {
  added: (id, name) => projectAdded(id, name, name.length % 2 === 0),
  deactivated: projectDeactivated,
  within: {},
  scenario: {
    ref: { type: 'project', id },
    steps: [
      [projectAdded(id), { ...projectAdded(id).data, state: 'active' }],
      ...PROJECT_CHANGES,
      [projectRemoved(id)],
    ],
    others: [
      ['acme', projectAdded('shop')],
      ['other', projectAdded(id)],
    ],
  },
  sortFields: {
    id: (row) => row.id,
    name: (row) => row.name,
    projectRoleAssertion: (row) => row.projectRoleAssertion,
    projectRoleCheck: (row) => row.projectRoleCheck,
    hasProjectCheck: (row) => row.hasProjectCheck,
    privateLabelingSetting: (row) => row.privateLabelingSetting,
    ...SORT_FIELDS_OF_ALL,
  },
  filterFields: ['id', 'name', 'state'],
  identity: 'id',
  name: 'name',
}
