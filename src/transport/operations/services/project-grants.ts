import type { Iam } from '../../../index.js'
import { projectGrantService } from '../../wire.js'
import { historyOperation, pastOperation } from '../history.js'
import { getOperation, listOperation, type Operation, writeOperation } from '../operation.js'

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
