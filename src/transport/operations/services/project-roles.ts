import type { Iam } from '../../../index.js'
import { projectRoleService } from '../../wire.js'
import { historyOperation, pastOperation } from '../history.js'
import { getOperation, listOperation, type Operation, writeOperation } from '../operation.js'

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
