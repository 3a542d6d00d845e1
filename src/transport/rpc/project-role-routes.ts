import type { Iam } from '../../index.js'
import { ProjectRoleService } from '../gen/claviger/v1/project_role_service_pb.js'
import { DETAIL_FIELDS, pageOf, sortOf, textFilterOf } from './list-request.js'
import { onlyDetails, pageEndOf, projectRoleOf } from './responses.js'
import { type Route, route } from './route.js'
import { givenIn } from './update-mask.js'

const rpc = ProjectRoleService.method

const SORT_FIELDS = ['projectId', 'roleKey', 'displayName', 'group', ...DETAIL_FIELDS] as const

/** The rpcs of `ProjectRoleService`. */
export const projectRoleRoutes = ({ projectRoles }: Iam): readonly Route[] => [
  route(rpc.addProjectRole, ({ projectId, roleKey, displayName, group }, context) =>
    projectRoles.add({ projectId, roleKey, displayName, group }, context).map(onlyDetails),
  ),
  route(rpc.addProjectRoles, ({ projectId, roles }, context) => {
    const added = roles.map(({ roleKey, displayName, group }) => ({ roleKey, displayName, group }))
    return projectRoles.addMany({ projectId, roles: added }, context).map(onlyDetails)
  }),
  route(rpc.updateProjectRole, ({ projectId, roleKey, displayName, group }, context) =>
    projectRoles.update({ projectId, roleKey, displayName, group }, context).map(onlyDetails),
  ),
  route(rpc.patchProjectRole, (request, context) => {
    const given = givenIn(rpc.patchProjectRole.input, request)
    const { projectId, roleKey, displayName = '', group = '' } = request
    const input = {
      projectId,
      roleKey,
      displayName: given('displayName', displayName),
      group: given('group', group),
    }
    return projectRoles.patch(input, context).map(onlyDetails)
  }),
  route(rpc.removeProjectRole, ({ projectId, roleKey }, context) =>
    projectRoles.remove({ projectId, roleKey }, context).map(onlyDetails),
  ),
  route(rpc.getProjectRole, ({ projectId, roleKey }, context) =>
    projectRoles
      .get({ projectId, roleKey }, context)
      .map((found) => ({ projectRole: projectRoleOf(found) })),
  ),
  route(rpc.listProjectRoles, (request, context) => {
    const { projectId, filter } = request
    const conditions = filter && {
      roleKey: textFilterOf(filter.roleKey),
      displayName: textFilterOf(filter.displayName),
      group: textFilterOf(filter.group),
    }
    const sort = sortOf(request.orderBy, SORT_FIELDS)
    const input = { projectId, ...pageOf(request), filter: conditions, sort }
    return projectRoles.list(input, context).map((page) => ({
      projectRoles: page.items.map(projectRoleOf),
      ...pageEndOf(page),
    }))
  }),
]
