import type { Iam } from '../../../index.js'
import { ProjectService } from '../../gen/claviger/v1/project_service_pb.js'
import { answering, listing, type Operation, showing, writing } from '../operation.js'
import { listingHistory, showingPast } from '../reading/history.js'

const rpc = ProjectService.method

/** The operations of `ProjectService`. */
export const projectOperations = ({ projects, history }: Iam): readonly Operation[] => [
  writing(rpc.addProject, projects.add, ({ projectId }) => ({ id: projectId })),
  writing(rpc.updateProject, projects.update),
  writing(rpc.patchProject, projects.patch),
  writing(rpc.deactivateProject, projects.deactivate),
  writing(rpc.reactivateProject, projects.reactivate),
  writing(rpc.removeProject, projects.remove),
  showing(rpc.getProject, projects.get),
  listing(rpc.listProjects, projects.list),
  answering(rpc.checkLogin, projects.checkLogin, () => ({})),
  answering(rpc.listRoleClaims, projects.roleClaims, (roleClaims) => ({ roleClaims })),
  listingHistory(rpc.listProjectHistory, history, 'project'),
  showingPast(rpc.getProjectState, history, 'project'),
]
