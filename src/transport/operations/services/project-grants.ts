import type { Iam } from '../../../index.js'
import { ProjectGrantService } from '../../gen/claviger/v1/project_grant_service_pb.js'
import { listing, type Operation, showing, writing } from '../operation.js'
import { listingHistory, showingPast } from '../reading/history.js'

const rpc = ProjectGrantService.method

/** The operations of `ProjectGrantService`. */
export const projectGrantOperations = ({ projectGrants, history }: Iam): readonly Operation[] => [
  writing(rpc.addProjectGrant, projectGrants.add),
  writing(rpc.updateProjectGrant, projectGrants.update),
  writing(rpc.deactivateProjectGrant, projectGrants.deactivate),
  writing(rpc.reactivateProjectGrant, projectGrants.reactivate),
  writing(rpc.removeProjectGrant, projectGrants.remove),
  showing(rpc.getProjectGrant, projectGrants.get),
  listing(rpc.listProjectGrants, projectGrants.list),
  listing(rpc.listReceivedProjectGrants, projectGrants.listReceived),
  listingHistory(rpc.listProjectGrantHistory, history, 'project_grant'),
  showingPast(rpc.getProjectGrantState, history, 'project_grant'),
]
