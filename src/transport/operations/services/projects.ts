import type { Iam } from '../../../index.js'
import { projectService } from '../../wire.js'
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
