import type { Iam } from '../../../index.js'
import { ProjectRoleService } from '../../gen/claviger/v1/project_role_service_pb.js'
import { listing, type Operation, showing, writing } from '../operation.js'
import { listingHistory, showingPast } from '../reading/history.js'

const rpc = ProjectRoleService.method

/** The operations of `ProjectRoleService`. */
export const projectRoleOperations = ({ projectRoles, history }: Iam): readonly Operation[] => [
  writing(rpc.addProjectRole, projectRoles.add),
  writing(rpc.addProjectRoles, projectRoles.addMany),
  writing(rpc.updateProjectRole, projectRoles.update),
  writing(rpc.patchProjectRole, projectRoles.patch),
  writing(rpc.removeProjectRole, projectRoles.remove),
  showing(rpc.getProjectRole, projectRoles.get),
  listing(rpc.listProjectRoles, projectRoles.list),
  listingHistory(rpc.listProjectRoleHistory, history, 'project_role'),
  showingPast(rpc.getProjectRoleState, history, 'project_role'),
]
