import type { Iam } from '../../../index.js'
import { projectGrantService, projectRoleService, projectService } from '../../wire.js'
import { historyOperation, pastOperation } from '../history.js'
import {
  getOperation,
  listOperation,
  type Operation,
  readOperation,
  writeOperation,
} from '../operation.js'

/** The operations of `ProjectService`. */
export const projectOperations = ({ projects, history }: Iam): readonly Operation[] => [
  writeOperation(projectService.addProject, projects.add, ({ projectId }) => ({ id: projectId })),
  writeOperation(projectService.updateProject, projects.update),
  writeOperation(projectService.patchProject, projects.patch),
  writeOperation(projectService.deactivateProject, projects.deactivate),
  writeOperation(projectService.reactivateProject, projects.reactivate),
  writeOperation(projectService.removeProject, projects.remove),
  getOperation(projectService.getProject, projects.get),
  listOperation(projectService.listProjects, projects.list),
  readOperation(projectService.checkLogin, projects.checkLogin, () => ({})),
  readOperation(projectService.listRoleClaims, projects.roleClaims, (roleClaims) => ({
    roleClaims,
  })),
  historyOperation(projectService.listProjectHistory, history, 'project'),
  pastOperation(projectService.getProjectState, history, 'project'),
]

/** The operations of `ProjectRoleService`. */
export const projectRoleOperations = ({ projectRoles, history }: Iam): readonly Operation[] => [
  writeOperation(projectRoleService.addProjectRole, projectRoles.add),
  writeOperation(projectRoleService.addProjectRoles, projectRoles.addMany),
  writeOperation(projectRoleService.updateProjectRole, projectRoles.update),
  writeOperation(projectRoleService.patchProjectRole, projectRoles.patch),
  writeOperation(projectRoleService.removeProjectRole, projectRoles.remove),
  getOperation(projectRoleService.getProjectRole, projectRoles.get),
  listOperation(projectRoleService.listProjectRoles, projectRoles.list),
  historyOperation(projectRoleService.listProjectRoleHistory, history, 'project_role'),
  pastOperation(projectRoleService.getProjectRoleState, history, 'project_role'),
]

/** The operations of `ProjectGrantService`. */
export const projectGrantOperations = ({ projectGrants, history }: Iam): readonly Operation[] => [
  writeOperation(projectGrantService.addProjectGrant, projectGrants.add),
  writeOperation(projectGrantService.updateProjectGrant, projectGrants.update),
  writeOperation(projectGrantService.deactivateProjectGrant, projectGrants.deactivate),
  writeOperation(projectGrantService.reactivateProjectGrant, projectGrants.reactivate),
  writeOperation(projectGrantService.removeProjectGrant, projectGrants.remove),
  getOperation(projectGrantService.getProjectGrant, projectGrants.get),
  listOperation(projectGrantService.listProjectGrants, projectGrants.list),
  listOperation(projectGrantService.listReceivedProjectGrants, projectGrants.listReceived),
  historyOperation(projectGrantService.listProjectGrantHistory, history, 'project_grant'),
  pastOperation(projectGrantService.getProjectGrantState, history, 'project_grant'),
]
