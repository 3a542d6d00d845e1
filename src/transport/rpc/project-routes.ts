import type { Iam } from '../../index.js'
import { ProjectService } from '../gen/claviger/v1/project_service_pb.js'
import { labelingSettingOf, stateOf } from './enum-values.js'
import { DETAIL_FIELDS, pageOf, sortOf, textFilterOf } from './list-request.js'
import { detailsOf, onlyDetails, pageEndOf, projectOf } from './responses.js'
import { type Route, route } from './route.js'
import { givenIn } from './update-mask.js'

const rpc = ProjectService.method

const SORT_FIELDS = [
  'id',
  'name',
  'projectRoleAssertion',
  'projectRoleCheck',
  'hasProjectCheck',
  'privateLabelingSetting',
  ...DETAIL_FIELDS,
] as const

/** Name and settings, as they are added and updated. */
interface Settings {
  readonly name: string
  readonly projectRoleAssertion: boolean
  readonly projectRoleCheck: boolean
  readonly hasProjectCheck: boolean
  readonly privateLabelingSetting: number
}

const settingsOf = (request: Settings) => ({
  name: request.name,
  projectRoleAssertion: request.projectRoleAssertion,
  projectRoleCheck: request.projectRoleCheck,
  hasProjectCheck: request.hasProjectCheck,
  privateLabelingSetting: labelingSettingOf(request),
})

/** The rpcs of `ProjectService`. */
export const projectRoutes = ({ projects }: Iam): readonly Route[] => [
  route(rpc.addProject, (request, context) =>
    projects
      .add({ id: request.id, ...settingsOf(request) }, context)
      .map(({ details, projectId }) => ({ details: detailsOf(details), id: projectId })),
  ),
  route(rpc.updateProject, (request, context) =>
    projects.update({ id: request.id, ...settingsOf(request) }, context).map(onlyDetails),
  ),
  route(rpc.patchProject, (request, context) => {
    const given = givenIn(rpc.patchProject.input, request)
    const { name = '', privateLabelingSetting = 0 } = request
    const {
      projectRoleAssertion = false,
      projectRoleCheck = false,
      hasProjectCheck = false,
    } = request
    const labeling = labelingSettingOf({ privateLabelingSetting })
    const input = {
      id: request.id,
      name: given('name', name),
      projectRoleAssertion: given('projectRoleAssertion', projectRoleAssertion),
      projectRoleCheck: given('projectRoleCheck', projectRoleCheck),
      hasProjectCheck: given('hasProjectCheck', hasProjectCheck),
      privateLabelingSetting: given('privateLabelingSetting', labeling),
    }
    return projects.patch(input, context).map(onlyDetails)
  }),
  route(rpc.deactivateProject, ({ id }, context) =>
    projects.deactivate({ id }, context).map(onlyDetails),
  ),
  route(rpc.reactivateProject, ({ id }, context) =>
    projects.reactivate({ id }, context).map(onlyDetails),
  ),
  route(rpc.removeProject, ({ id }, context) => projects.remove({ id }, context).map(onlyDetails)),
  route(rpc.getProject, ({ id }, context) =>
    projects.get({ id }, context).map((found) => ({ project: projectOf(found) })),
  ),
  route(rpc.listProjects, (request, context) => {
    const { filter } = request
    const conditions = filter && {
      id: textFilterOf(filter.id),
      name: textFilterOf(filter.name),
      state: stateOf(filter),
    }
    const input = {
      ...pageOf(request),
      filter: conditions,
      sort: sortOf(request.orderBy, SORT_FIELDS),
    }
    return projects
      .list(input, context)
      .map((page) => ({ projects: page.items.map(projectOf), ...pageEndOf(page) }))
  }),
  route(rpc.checkLogin, ({ id, userOrgId, userRoleKeys, grantedOrgIds }, context) =>
    projects.checkLogin({ id, userOrgId, userRoleKeys, grantedOrgIds }, context).map(() => ({})),
  ),
]
